import { rename, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Complaint } from '#apps/complaint.ts'
import { type Gateway, startGateway } from '#apps/server.ts'
import { firstSignal, stopAfter } from '#apps/shut-down.ts'
import { firstCallBody, firstPaymentBody } from '#capabilities/sandbox/first-call.wire.ts'
import type { Sandbox } from '#capabilities/sandbox/seed-sandbox.operation.ts'
import type { Config } from '#platform/config.ts'
import { openLog } from '#platform/log.ts'

// tillgate start: runs until it is told to stop.
export async function start(config: Config, print: (text: string) => void): Promise<number> {
  const log = openLog(config.logLevel)
  // From here on, so that a stop that comes while it starts is carried out in order as well.
  const signal = firstSignal()
  const gateway = await startGateway({ config, log })
  try {
    if (gateway.sandbox) await writeSandboxFile(config, gateway.baseUrl, gateway.sandbox)
  } catch (error) {
    await gateway.stop()
    throw new Complaint(`${join(config.dataFolder, sandboxFileName)} cannot be written.`, { cause: error })
  }
  print(greeting(config, gateway))
  return stopAfter(signal, () => gateway.stop(), log)
}

const sandboxFileName = 'sandbox.json'

// For people and scripts alike. Members are added as capabilities appear; none is ever renamed.
async function writeSandboxFile(
  config: Config,
  baseUrl: string,
  { accountCode, token, consents, schedules }: Sandbox,
): Promise<void> {
  const path = join(config.dataFolder, sandboxFileName)
  const content = {
    baseUrl,
    acctCode: accountCode,
    token: token.reveal(),
    merchants: { plain: 1, surcharge: 2, international: 3 },
    consents,
    schedules,
  }
  await writeFile(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

function greeting(config: Config, { baseUrl, sandbox }: Gateway): string {
  if (!sandbox) return `\nTillgate is ready at ${baseUrl}\n`
  const body = JSON.stringify(firstCallBody(sandbox))
  const payment = JSON.stringify(firstPaymentBody(sandbox))
  const file = join(relative(process.cwd(), config.dataFolder) || '.', sandboxFileName)
  return `
Tillgate is ready at ${baseUrl}        sandbox: no money moves

  Account code   ${sandbox.accountCode}
  Token          ${sandbox.token.reveal()}
  The same in    ${file}

Your first call:

  curl -s ${baseUrl}/APIcardProcService/v1.0.0/Authenticate \\
    -H 'Content-Type: application/json' -H 'Accept: application/json' \\
    -d '${body}'

Then, with the SessKey of its answer, an approved payment:

  curl -s ${baseUrl}/APIcardProcREST/v1.0.0/ConsentAnnual/ChargeStoredCard \\
    -H 'Content-Type: application/json' -H "SessKey: $SESSKEY" \\
    -d '${payment}'

  API reference  ${baseUrl}/docs
  Error codes    ${baseUrl}/docs/errors
  SOAP           ${baseUrl}/APIcardProcService/CardProcAPI.svc?wsdl

Ctrl-C stops it.
`
}
