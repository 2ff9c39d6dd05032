import type { Command, Report } from '#apps/cli/command.ts'
import assert from 'node:assert/strict'
import type { World } from './session-world.ts'

type Said = {
  readonly needs: World
  readonly subject?: string
  readonly texts?: Readonly<Record<string, string>>
  readonly flags?: Readonly<Record<string, boolean>>
}

// A command as an operator says it, past the words of the command line.
export function say(
  command: Command | undefined,
  { needs, subject = '', texts = {}, flags = {} }: Said,
): Promise<Report> {
  assert(command, 'there is such a command')
  const options = {
    text: (name: string) => texts[name],
    needText: (name: string) => texts[name] ?? assert.fail(`--${name} is asked for`),
    flag: (name: string) => flags[name],
  }
  return command.run({ context: needs, nodeFile: '', options, subject, second: '' })
}
