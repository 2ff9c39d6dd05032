import type { Command } from '#apps/cli/command.ts'

export function explainCommand({ summary, usage, explanation }: Command): string {
  return `${[summary, `${usage} [--json]`, ...(explanation ? [explanation] : [])].join('\n')}\n`
}
