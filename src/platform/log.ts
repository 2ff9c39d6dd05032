import { pino } from 'pino'
import { passesLuhn } from '#kernel/luhn.ts'
import { readableLine } from '#platform/readable-line.ts'

export type Log = {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

type Level = 'debug' | 'info' | 'warn' | 'error' | 'silent'

// Logs go to stdout, one JSON object a line, and on a terminal as people read them. The finished line is
// scrubbed, because redaction by path misses what hides in messages, errors and deep objects. Times are ISO:
// one 13-digit millisecond time in ten would pass for a card number.
export function openLog(level: Level, write: (line: string) => void = writeToStdout): pino.Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: toldOf },
  }
  return pino(options, { write: (line: string) => write(scrub(line)) })
}

const toldOfErrors = ['type', 'message', 'stack', 'code', 'constraint', 'table', 'column'] as const

// Nothing else: what PostgreSQL adds in detail quotes the row that broke a rule, name and address included.
function toldOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const whole = pino.stdSerializers.err(error)
  return Object.fromEntries(toldOfErrors.flatMap((name) => (name in whole ? [[name, whole[name]]] : [])))
}

// Digits as cards are written, possibly in groups; whatever stands before or behind a card number may be
// part of the run.
const digitRun = /\d(?:[ \u00a0\u2000-\u2015\u202f\u2060\u2212-]{0,3}\d){12,}/g
// Session keys have 64 hexadecimal characters, tokens 32. Request ids and fault ids have no such runs.
const keyLike = /(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{32})(?![0-9a-f])/gi
// In JSON a line break is a backslash and an n, and \\t would hide a t in front of a key.
const escapedBreak = /\\[nrt](?=[0-9a-f]{32})/gi
const cardLengths = [19, 18, 17, 16, 15, 14, 13]

// Few lines have one, and looking for this costs much less than looking for its edges too.
const keyWithin = /[0-9a-fA-F]{32}/

export function scrub(line: string): string {
  return (keyWithin.test(line) ? withoutKeys(line) : line).replace(digitRun, maskCards)
}

function withoutKeys(line: string): string {
  return line.replace(escapedBreak, (escape) => `${escape} `).replace(keyLike, '[key]')
}

// Masks every stretch of a run that could be a card number, the longest from each place first.
function maskCards(run: string): string {
  const digits = run.replace(/\D/g, '')
  let masked = ''
  let at = 0
  let isCard = false
  while (at < digits.length) {
    const length = cardLengths.find(
      (one) => at + one <= digits.length && passesLuhn(digits.slice(at, at + one)),
    )
    isCard ||= length !== undefined
    masked +=
      length === undefined ? digits.charAt(at) : `[card ${digits.slice(at + length - 4, at + length)}]`
    at += length ?? 1
  }
  return isCard ? masked : run
}

// Whoever read our output may go away, a log shipper or a closed terminal; the gateway goes on without.
process.stdout.on('error', () => undefined)

// Lines of one turn of the event loop leave together: a write costs more than a line.
let unwritten = ''

function writeToStdout(line: string): void {
  if (unwritten === '') setImmediate(flush)
  unwritten += lineFor(process.stdout, line)
}

// Of commands, whose standard output is for what they answer.
export function writeToStderr(line: string): void {
  process.stderr.write(lineFor(process.stderr, line))
}

export function lineFor({ isTTY }: { readonly isTTY?: boolean }, line: string): string {
  return isTTY ? readableLine(line) : line
}

function flush(): void {
  const lines = unwritten
  unwritten = ''
  if (lines !== '') process.stdout.write(lines)
}

process.on('exit', flush)
