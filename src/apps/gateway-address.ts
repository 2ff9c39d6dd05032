import { join } from 'node:path'
import type { Config } from '#platform/config.ts'
import { readStateFile } from '#platform/state-file.ts'

export const sandboxFileName = 'sandbox.json'

type Place = Pick<Config, 'baseUrl' | 'dataFolder'>

// The address under which payers reach the gateway, as far as a command beside it can know: a gateway of the
// sandbox has written it down. Empty where none is known: what this machine calls it is of no use to a phone.
export function gatewayAddress({ baseUrl, dataFolder }: Place): string {
  if (baseUrl !== '') return baseUrl
  const told = readStateFile(join(dataFolder, sandboxFileName))?.['baseUrl']
  return typeof told === 'string' ? told : ''
}
