import type { Command } from '#apps/cli/command.ts'
import { explainCommand } from '#apps/cli/explain-command.ts'
import { printTable } from '#apps/cli/print-table.ts'
import { Complaint } from '#apps/complaint.ts'
import { inPlainWords } from '#apps/in-plain-words.ts'
import { openInstallation } from '#apps/open-installation.ts'
import { type Config, readConfig } from '#platform/config.ts'
import { openLog, writeToStderr } from '#platform/log.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'
import packageFile from '../../package.json' with { type: 'json' }

// The command line. One file per noun in cli/; a command without a noun is a function here. The code of a
// command is read when it is called for, so that none waits for that of all others.

type Verbs = Readonly<Record<string, Command>>

const nouns: Readonly<Record<string, () => Promise<Verbs>>> = {
  account: async () => (await import('#apps/cli/account.ts')).accountCommands,
  ach: async () => (await import('#apps/cli/ach.ts')).achCommands,
  attempt: async () => (await import('#apps/cli/attempt.ts')).attemptCommands,
  bank: async () => (await import('#apps/cli/bank.ts')).bankCommands,
  batch: async () => (await import('#apps/cli/batch.ts')).batchCommands,
  clock: async () => (await import('#apps/cli/clock.ts')).clockCommands,
  dispute: async () => (await import('#apps/cli/dispute.ts')).disputeCommands,
  form: async () => (await import('#apps/cli/form.ts')).formCommands,
  'integrator-key': async () => (await import('#apps/cli/integrator-key.ts')).integratorKeyCommands,
  keys: async () => (await import('#apps/cli/keys.ts')).keysCommands,
  ledger: async () => (await import('#apps/cli/ledger.ts')).ledgerCommands,
  link: async () => (await import('#apps/cli/link.ts')).linkCommands,
  merchant: async () => (await import('#apps/cli/merchant.ts')).merchantCommands,
  message: async () => (await import('#apps/cli/message.ts')).messageCommands,
  plan: async () => (await import('#apps/cli/plan.ts')).planCommands,
  token: async () => (await import('#apps/cli/token.ts')).tokenCommands,
  webhook: async () => (await import('#apps/cli/webhook.ts')).webhookCommands,
}

// Commands of one word that work on an installation.
const singleCommands: Readonly<Record<string, () => Promise<Command>>> = {
  resume: async () => (await import('#apps/cli/resume.ts')).resumeCommand,
  reconcile: async () => (await import('#apps/cli/reconcile.ts')).reconcileCommand,
}

type PlainCommand = {
  readonly usage: string
  readonly summary: string
  readonly takesOptions?: true
  readonly run: (config: Config, args: readonly string[]) => Promise<number>
}

const plainCommands: Readonly<Record<string, PlainCommand>> = {
  start: {
    usage: 'tillgate start [--workers N]',
    summary: 'Run the gateway until Ctrl-C or SIGTERM; --workers N uses more cores',
    takesOptions: true,
    run: async (config, args) => (await import('#apps/cli/start.ts')).start(config, args),
  },
  migrate: { usage: 'tillgate migrate', summary: 'Bring the database schema up to date', run: migrateOnly },
  doctor: {
    usage: 'tillgate doctor [--json]',
    summary: 'Say what is wrong with this installation, if anything',
    takesOptions: true,
    run: doctor,
  },
}

async function main(args: readonly string[]): Promise<number> {
  const [first = 'help', second, ...rest] = args
  if (['help', '--help', '-h'].includes(first)) return help()
  if (first === '--version') return version()
  if (first === 'selftest') return runSelftest(args.slice(1))
  const plain = named(plainCommands, first)
  if (plain && second === '--help') return explain(plain)
  if (plain && !plain.takesOptions && second !== undefined)
    throw new Complaint(`tillgate ${first} takes no further words.`)
  if (plain) return plain.run(configOrComplain(), args.slice(1))
  const single = await named(singleCommands, first)?.()
  if (single) return runAndPrint(single, args.slice(1))
  const noun = await named(nouns, first)?.()
  if (!noun) throw new Complaint(`There is no command ${first}. tillgate help lists all.`)
  if (second === '--help') return explainAll(Object.values(noun))
  const command = named(noun, second ?? '')
  if (!command) {
    throw new Complaint(
      `tillgate ${first} knows these: ${Object.keys(noun).join(', ')}. tillgate ${first} --help shows how.`,
    )
  }
  return runAndPrint(command, rest)
}

const selftestSummary = 'Prove on a throw-away database that no crash loses or doubles a charge'

async function runSelftest(args: readonly string[]): Promise<number> {
  const { selftest, usage } = await import('#apps/selftest.ts')
  return args.includes('--help') ? explain({ summary: selftestSummary, usage }) : selftest(args)
}

function explain({ summary, usage }: Pick<PlainCommand, 'summary' | 'usage'>): number {
  print(`${summary}\n${usage}\n`)
  return 0
}

function explainAll(commands: readonly Command[]): number {
  print(commands.map(explainCommand).join('\n'))
  return 0
}

// A word such as "constructor" is known to every object, and is no command.
function named<T>(commands: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(commands, word) ? commands[word] : undefined
}

async function runAndPrint(command: Command, args: readonly string[]): Promise<number> {
  const config = configOrComplain()
  const { runCommand } = await import('#apps/cli/command.ts')
  const { text, aside, complaint } = await runCommand(command, args, config)
  print(text)
  if (aside !== undefined) process.stderr.write(aside)
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
  const log = openLog('info', writeToStderr)
  const installation = await openInstallation({ config, role: 'command', log })
  await installation.close()
  print('The schema is up to date.\n')
  return 0
}

async function doctor(config: Config, args: readonly string[]): Promise<number> {
  const isJson = args[0] === '--json'
  if (args.length > (isJson ? 1 : 0)) throw new Complaint('tillgate doctor takes --json and nothing else.')
  const { diagnose } = await import('#apps/doctor.ts')
  const findings = await diagnose(config)
  const rows = findings.map(({ subject: check, verdict, text: finding }) => ({ check, verdict, finding }))
  print(`${isJson ? JSON.stringify(rows, null, 2) : printTable(rows)}\n`)
  return findings.some(({ verdict }) => verdict === 'WRONG') ? 1 : 0
}

async function help(): Promise<number> {
  const plain = Object.entries(plainCommands).map(([name, { summary }]) => ({
    command: `tillgate ${name}`,
    summary,
  }))
  const proof = { command: 'tillgate selftest', summary: selftestSummary }
  const singles = await Promise.all(Object.values(singleCommands).map((load) => load()))
  const verbs = await Promise.all(Object.values(nouns).map((load) => load()))
  const lines = [
    ...plain,
    proof,
    ...[...singles, ...verbs.flatMap((each) => Object.values(each))].map(({ usage, summary }) => ({
      command: usage.split(' [')[0] ?? usage,
      summary,
    })),
  ]
  print(
    `From the folder of the project: node bin/tillgate.cjs COMMAND, for tillgate COMMAND here.\n\n` +
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
  const told = isUnreachable(error) ? await inPlainWords(error) : error
  const text = told instanceof Complaint ? told.message : String(told instanceof Error ? told.stack : told)
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}
