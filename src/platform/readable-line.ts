// A line of the log as people read it on a terminal: 22:44:06Z  WARN  A connection broke  error=reset. The
// stack of an error stands below it.
export function readableLine(line: string): string {
  const record = recordIn(line)
  if (!record) return line
  const { level, time, msg, err, ...facts } = record
  const { stack, ...error } = isRecord(err) ? err : {}
  const hasStack = typeof stack === 'string'
  const shown = hasStack || err === undefined ? facts : { ...facts, ...(isRecord(err) ? error : { err }) }
  const words = [`${textOf(time).slice(11, 19)}Z`, nameOf(level), plain(textOf(msg)), factsOf(shown)]
  const below = hasStack ? stack.split('\n').map((one) => `    ${plain(one)}\n`) : []
  return `${words.filter((word) => word !== '').join('  ')}\n${below.join('')}`
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

// Null for what masking has made unreadable: a number that was a card's has become a word.
function recordIn(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const record: unknown = JSON.parse(line)
    return isRecord(record) ? record : null
  } catch {
    return null
  }
}

// Of pino's levels. Whatever is as it should be needs no word.
function nameOf(level: unknown): string {
  if (Number(level) >= 50) return 'ERROR'
  if (Number(level) >= 40) return 'WARN'
  return Number(level) <= 20 ? 'debug' : ''
}

function factsOf(facts: object): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name}=${isPlainWord(value) ? value : plain(JSON.stringify(value))}`)
    .join(' ')
}

function isPlainWord(value: unknown): value is string {
  return typeof value === 'string' && /^[\w./:@+-]+$/.test(value)
}

// A terminal would obey them.
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
