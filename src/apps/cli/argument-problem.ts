import { hasCode } from '#platform/error-code.ts'

export type ParseInput = {
  readonly args: string[]
  readonly options: Record<string, { type: 'string' | 'boolean' }>
}

// What parseArgs refuses, in our words where we know better which word was meant.
export function argumentProblem(error: unknown, { args, options }: ParseInput): string {
  const isUnknown = hasCode(error, 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
  const known = Object.keys(options).flatMap((name) => [`--${name}`, `--no-${name}`])
  const odd = args.find((word) => word.startsWith('-') && !known.includes(word.split('=')[0] ?? ''))
  if (isUnknown && odd !== undefined) return `There is no option ${odd}.`
  const text = error instanceof Error ? error.message : String(error)
  const [named] = hasCode(error, 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') ? (/--[\w-]+/.exec(text) ?? []) : []
  if (named === undefined) return text
  return options[named.slice(2)]?.type === 'string'
    ? `${named} needs a value; one that begins with a dash is written ${named}=-1.`
    : `${named} takes no value.`
}
