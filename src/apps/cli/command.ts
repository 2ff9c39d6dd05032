import { parseArgs } from 'node:util'
import { Complaint } from '#apps/complaint.ts'
import { argumentProblem, type ParseInput } from '#apps/cli/argument-problem.ts'
import { explainCommand } from '#apps/cli/explain-command.ts'
import { printTable, type Row } from '#apps/cli/print-table.ts'
import { buildContext, nodeFileOf, sendingGuard } from '#apps/build-context.ts'
import { gatewayAddress } from '#apps/gateway-address.ts'
import { openInstallation } from '#apps/open-installation.ts'
import type { Context } from '#capabilities/context.ts'
import { refreshClocks } from '#engine/account-clock/refresh-clocks.operation.ts'
import type { Config } from '#platform/config.ts'
import { openLog, writeToStderr } from '#platform/log.ts'

// What a command is given: its options by name, what stands between them, and the installation to work on.
export type Invocation = {
  readonly context: Context
  // What this node knows of its database.
  readonly nodeFile: string
  readonly options: Options
  readonly subject: string
  readonly second: string
}

export type Options = {
  text(name: string): string | undefined
  needText(name: string): string
  flag(name: string): boolean | undefined
}

// What a command answers: rows for a table or for --json, and a sentence for people.
export type Report = {
  readonly rows: readonly Row[]
  readonly note?: string
  // A sentence about what is left out. Beside --json it goes to the standard error: whoever reads the rows
  // by a script would take the part for the whole.
  readonly unshown?: string
  // What is wrong with what was found, told after the rows: the command has then failed.
  readonly complaint?: string
  // Printed as it is, in place of rows: a file.
  readonly plain?: string
}

export type Command = {
  readonly usage: string
  readonly summary: string
  // What --help alone says beyond that.
  readonly explanation?: string
  // The word after the verb, such as an account code; null when the command takes none.
  readonly subject: string | null
  // The word after that, where there is one.
  readonly second?: string
  // Options that take a text, with its greatest length.
  readonly texts: Readonly<Record<string, number>>
  readonly flags: readonly string[]
  // It may be the first of all commands.
  readonly makesInstallation?: true
  readonly run: (invocation: Invocation) => Promise<Report>
}

type Said = {
  readonly text: string
  // For people who read along while a script reads the text.
  readonly aside?: string
  readonly complaint?: string | undefined
}

export async function runCommand(command: Command, args: readonly string[], config: Config): Promise<Said> {
  if (args.includes('--help')) return { text: explainCommand(command) }
  const { isJson, ...given } = readArguments(command, args)
  const log = openLog('warn', writeToStderr)
  const mayMake = command.makesInstallation ?? false
  const installation = await openInstallation({ config, role: 'command', log, mayMake })
  try {
    const sending = sendingGuard({ config, log, installation })
    await sending.inspect()
    const context = await buildContext({ config, log, installation, sending })
    context.publicAddress.url = gatewayAddress(config)
    await refreshClocks(context)
    const report = await command.run({ context, nodeFile: nodeFileOf(config), ...given })
    return { ...(isJson ? printJson(report) : { text: printReport(report) }), complaint: report.complaint }
  } finally {
    await installation.close()
  }
}

function readArguments(command: Command, args: readonly string[]) {
  const options = Object.fromEntries([
    ...Object.keys(command.texts).map((name) => [name, { type: 'string' as const }]),
    ...command.flags.map((name) => [name, { type: 'boolean' as const }]),
    ['json', { type: 'boolean' as const }],
  ])
  const { values, positionals } = parseOrComplain(command, { args: [...args], options })
  const wanted = [command.subject, command.second ?? null].filter((word) => word !== null)
  if (positionals.length > wanted.length) throw new Complaint(`Too many words. Usage: ${command.usage}`)
  const missing = wanted[positionals.length]
  if (missing !== undefined) throw new Complaint(`Which ${missing}? Usage: ${command.usage}`)
  const [subject = '', second = ''] = positionals
  return { options: optionsFrom(values, command), subject, second, isJson: values['json'] === true }
}

function parseOrComplain(command: Command, input: ParseInput) {
  try {
    return parseArgs({ ...input, allowPositionals: true, allowNegative: true, strict: true })
  } catch (error) {
    throw new Complaint(`${argumentProblem(error, input)}\nUsage: ${command.usage}`, { cause: error })
  }
}

function optionsFrom(values: Readonly<Record<string, unknown>>, command: Command): Options {
  const text = (name: string): string | undefined => {
    const value = values[name]
    if (typeof value !== 'string') return undefined
    const trimmed = value.trim()
    const lengthMax = command.texts[name] ?? 0
    if (trimmed.length > lengthMax) throw new Complaint(`--${name} is longer than ${lengthMax} characters.`)
    if (/\p{Cc}/u.test(trimmed)) throw new Complaint(`--${name} contains control characters.`)
    return trimmed
  }
  return {
    text,
    needText: (name) => {
      const value = text(name)
      if (value === undefined || value === '')
        throw new Complaint(`--${name} is missing. Usage: ${command.usage}`)
      return value
    },
    flag: (name) => {
      const value = values[name]
      return typeof value === 'boolean' ? value : undefined
    },
  }
}

function printJson({ rows, unshown }: Report): Said {
  const text = `${JSON.stringify(rows, null, 2)}\n`
  return unshown === undefined ? { text } : { text, aside: `${unshown}\n` }
}

function printReport({ rows, note, unshown, plain }: Report): string {
  if (plain !== undefined) return plain
  if (rows.length === 0) return `${note ?? 'Nothing to show.'}\n`
  const sentences = [unshown, note].filter((sentence) => sentence !== undefined)
  return `${[printTable(rows), ...sentences].join('\n')}\n`
}

type Named<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

// Leaves out what the operator did not name, so that it stays as it is.
export function dropUndefined<T extends object>(changes: T): Named<T> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Named<T>
}
