import { accountCommands } from '#apps/cli/account.ts'
import { achCommands } from '#apps/cli/ach.ts'
import { attemptCommands } from '#apps/cli/attempt.ts'
import { batchCommands } from '#apps/cli/batch.ts'
import { bankCommands } from '#apps/cli/bank.ts'
import { clockCommands } from '#apps/cli/clock.ts'
import { type Command, printTable, runCommand } from '#apps/cli/command.ts'
import { disputeCommands } from '#apps/cli/dispute.ts'
import { formCommands } from '#apps/cli/form.ts'
import { integratorKeyCommands } from '#apps/cli/integrator-key.ts'
import { keysCommands } from '#apps/cli/keys.ts'
import { ledgerCommands } from '#apps/cli/ledger.ts'
import { linkCommands } from '#apps/cli/link.ts'
import { merchantCommands } from '#apps/cli/merchant.ts'
import { messageCommands } from '#apps/cli/message.ts'
import { planCommands } from '#apps/cli/plan.ts'
import { reconcileCommand } from '#apps/cli/reconcile.ts'
import { resumeCommand } from '#apps/cli/resume.ts'
import { start } from '#apps/cli/start.ts'
import { tokenCommands } from '#apps/cli/token.ts'
import { webhookCommands } from '#apps/cli/webhook.ts'
import { Complaint } from '#apps/complaint.ts'
import { diagnose } from '#apps/doctor.ts'
import { selftest } from '#apps/selftest.ts'
import { openInstallation } from '#apps/open-installation.ts'
import { type Config, readConfig } from '#platform/config.ts'
import { openLog } from '#platform/log.ts'
import packageFile from '../../package.json' with { type: 'json' }

// The command line. One file per noun in cli/; a command without a noun is a function here.

const nouns: Readonly<Record<string, Readonly<Record<string, Command>>>> = {
  account: accountCommands,
  ach: achCommands,
  attempt: attemptCommands,
  bank: bankCommands,
  batch: batchCommands,
  clock: clockCommands,
  dispute: disputeCommands,
  form: formCommands,
  'integrator-key': integratorKeyCommands,
  keys: keysCommands,
  ledger: ledgerCommands,
  link: linkCommands,
  merchant: merchantCommands,
  message: messageCommands,
  plan: planCommands,
  token: tokenCommands,
  webhook: webhookCommands,
}

// Commands of one word that work on an installation.
const singleCommands: Readonly<Record<string, Command>> = {
  resume: resumeCommand,
  reconcile: reconcileCommand,
}

type PlainCommand = {
  readonly summary: string
  readonly takesOptions?: true
  readonly run: (config: Config, args: readonly string[]) => Promise<number>
}

const plainCommands: Readonly<Record<string, PlainCommand>> = {
  start: {
    summary: 'Run the gateway; --workers N uses more cores',
    takesOptions: true,
    run: (config, args) => start(config, args, print),
  },
  migrate: { summary: 'Bring the database schema up to date', run: migrateOnly },
  doctor: {
    summary: 'Say what is wrong with this installation, if anything',
    takesOptions: true,
    run: doctor,
  },
}

async function main(args: readonly string[]): Promise<number> {
  const [first = 'help', second, ...rest] = args
  if (first === 'help' || first === '--help') return help()
  if (first === '--version') return version()
  if (first === 'selftest') return selftest(args.slice(1))
  const single = singleCommands[first]
  if (single) return runAndPrint(single, args.slice(1), configOrComplain())
  const plain = plainCommands[first]
  const noun = nouns[first]
  if (!plain && !noun) throw new Complaint(`There is no command ${first}. tillgate help lists all.`)
  if (plain && !plain.takesOptions && second !== undefined)
    throw new Complaint(`tillgate ${first} takes no further words.`)
  const command = noun?.[second ?? '']
  if (noun && !command) {
    throw new Complaint(
      `tillgate ${first} knows these: ${Object.keys(noun).join(', ')}. tillgate help shows how.`,
    )
  }
  const config = configOrComplain()
  if (plain) return plain.run(config, args.slice(1))
  return command ? runAndPrint(command, rest, config) : 0
}

async function runAndPrint(command: Command, args: readonly string[], config: Config): Promise<number> {
  const { text, complaint } = await runCommand(command, args, config)
  print(text)
  if (complaint !== undefined) throw new Complaint(complaint)
  return 0
}

function configOrComplain(): Config {
  const config = readConfig(process.env)
  if ('problems' in config) {
    throw new Complaint(`${config.problems.join('\n')}\ndocs/configuration.md lists all settings.`)
  }
  return config
}

async function migrateOnly(config: Config): Promise<number> {
  const log = openLog('info', (line) => process.stderr.write(line))
  const installation = await openInstallation({ config, role: 'command', log })
  await installation.close()
  print('The schema is up to date.\n')
  return 0
}

async function doctor(config: Config, args: readonly string[]): Promise<number> {
  const isJson = args[0] === '--json'
  if (args.length > (isJson ? 1 : 0)) throw new Complaint('tillgate doctor takes --json and nothing else.')
  const findings = await diagnose(config)
  const rows = findings.map(({ subject, isFine, text }) => {
    return { check: subject, verdict: isFine ? 'ok' : 'WRONG', finding: text }
  })
  print(`${isJson ? JSON.stringify(rows, null, 2) : printTable(rows)}\n`)
  return findings.every(({ isFine }) => isFine) ? 0 : 1
}

function help(): number {
  const plain = Object.entries(plainCommands).map(([name, { summary }]) => ({
    command: `tillgate ${name}`,
    summary,
  }))
  const proof = {
    command: 'tillgate selftest',
    summary: 'Prove on a throw-away database that no crash loses or doubles a charge',
  }
  const withNouns = Object.values(nouns).flatMap((verbs) => Object.values(verbs))
  const lines = [
    ...plain,
    proof,
    ...[...Object.values(singleCommands), ...withNouns].map(({ usage, summary }) => ({
      command: usage.split(' [')[0] ?? usage,
      summary,
    })),
  ]
  print(
    `${printTable(lines)}\n\n--help after a command shows its options, --json prints rows for scripts. docs/configuration.md lists settings.\n`,
  )
  return 0
}

function version(): number {
  print(`${packageFile.version}\n`)
  return 0
}

function print(text: string): void {
  process.stdout.write(text)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const text =
    error instanceof Complaint ? error.message : String(error instanceof Error ? error.stack : error)
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}
