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
  if (typeof told === 'string') return told
  return ''
}

// Nobody is reached under the address that means all of them.
export function hostToAsk(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
