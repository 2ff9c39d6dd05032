import { pino } from 'pino'
import { passesLuhn } from '#kernel/luhn.ts'

export type Log = {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

type Level = 'debug' | 'info' | 'warn' | 'error' | 'silent'

// Logs go to stdout, one JSON object a line. The finished line is scrubbed, because redaction by path
// misses what hides in messages, errors and deep objects. Times are ISO: one 13-digit millisecond time in
// ten would pass for a card number.
export function openLog(level: Level, write: (line: string) => void = writeToStdout): pino.Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  return pino(options, { write: (line: string) => write(scrub(line)) })
}

// 13 to 19 digits, possibly in groups, as cards are written.
const cardLike = /\d(?:[ -]?\d){12,18}/g
// Session keys have 64 hexadecimal characters, tokens 32. Request ids and fault ids have no such runs.
const keyLike = /\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b/gi

export function scrub(line: string): string {
  return line.replace(keyLike, '[key]').replace(cardLike, (run) => {
    const digits = run.replace(/[ -]/g, '')
    return passesLuhn(digits) ? `[card ${digits.slice(-4)}]` : run
  })
}

function writeToStdout(line: string): void {
  process.stdout.write(line)
}
