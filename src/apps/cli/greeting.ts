import { join, relative } from 'node:path'
import { sandboxFileName } from '#apps/gateway-address.ts'
import type { Gateway } from '#apps/server.ts'
import { firstCallBody, firstPaymentBody } from '#capabilities/sandbox/first-call.wire.ts'
import type { SendingGate } from '#engine/restore-guard/sending.ts'
import type { Config } from '#platform/config.ts'

// A collector of logs reads JSON alone, so the greeting is on standard output only where that is a terminal.
// The reader of standard error may go away.
export function greet(text: string): void {
  process.stderr.on('error', () => undefined)
  const place = process.stdout.isTTY ? process.stdout : process.stderr
  place.write(text)
}

const launcher = join(import.meta.dirname, '..', '..', '..', 'bin', 'tillgate.cjs')

const fromHere = (path: string): string => relative(process.cwd(), path) || '.'

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

// While payments are paused, all that the rest of the greeting invites to is refused.
function pauseNotice({ dataFolder }: Config, { hold }: SendingGate): string {
  if (hold?.kind !== 'paused') return ''
  return `
Payments are PAUSED: ${hold.because}.
Nothing is charged, settled or announced until you have compared with the bank
("Restored and copied databases" in docs/running.md) and let it go on:

  DATA_DIR=${shellWord(dataFolder)} node ${shellWord(fromHere(launcher))} resume --reason TEXT
`
}

export function greeting(config: Config, { baseUrl, sandbox, isNew, sending }: Gateway): string {
  const made = isNew ? `\nA new installation was made in ${config.dataFolder}\n` : ''
  const first = `${made}${pauseNotice(config, sending)}`
  if (!sandbox) return `\nTillgate is ready at ${baseUrl}\n${first}`
  const body = JSON.stringify(firstCallBody(sandbox))
  const payment = JSON.stringify(firstPaymentBody(sandbox))
  const file = join(fromHere(config.dataFolder), sandboxFileName)
  return `
Tillgate is ready at ${baseUrl}        sandbox: no money moves
${first}
  Account code   ${sandbox.accountCode}
  Token          ${sandbox.token.reveal()}
  EINDEX         ${sandbox.integratorKey.index}, integrator key ${sandbox.integratorKey.key.reveal()}
  The same in    ${file}

Your first call signs in. Paste it into a second terminal, which keeps the session key of the answer:

  SESSKEY=$(curl -s ${baseUrl}/APIcardProcService/v1.0.0/Authenticate \\
    -H 'Content-Type: application/json' -H 'Accept: application/json' \\
    -d '${body}' \\
    | sed 's/.*"SessKey":"\\([^"]*\\)".*/\\1/'); echo "$SESSKEY"

Then an approved payment, in the same terminal. Under the same key it is charged only once:

  curl -s ${baseUrl}/APIcardProcREST/v1.0.0/ConsentAnnual/ChargeStoredCard \\
    -H 'Content-Type: application/json' -H "SessKey: $SESSKEY" -H 'Idempotency-Key: my-first' \\
    -d '${payment}'

  API reference  ${baseUrl}/docs
  Error codes    ${baseUrl}/docs/errors
  Test cards     ${baseUrl}/docs/sandbox
  Webhook inbox  ${baseUrl}/sandbox/inbox
  Outbox         ${baseUrl}/sandbox/outbox
  Build a form   ${baseUrl}/sandbox/forms
  Pay a link     ${baseUrl}${sandbox.links.open}
  SOAP           ${baseUrl}/APIcardProcService/CardProcAPI.svc?wsdl

Ctrl-C stops it.
`
}
