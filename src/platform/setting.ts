import { isIP } from 'node:net'
import { resolve } from 'node:path'

// What a setting is, and the kinds of values that settings take.
export type Setting<T> = {
  readonly name: string
  readonly fallback: string
  readonly meaning: string
  // Never shown, not even when it is wrong.
  readonly isSecret: boolean
  // Answers the value, or a sentence about what would be accepted.
  readonly read: (text: string) => T | { readonly expected: string }
}

export function setting<T>(
  name: string,
  fallback: string,
  meaning: string,
  read: Setting<T>['read'],
): Setting<T> {
  return { name, fallback, meaning, read, isSecret: false }
}

export function secretSetting<T>(name: string, meaning: string, read: Setting<T>['read']): Setting<T> {
  return { name, fallback: '', meaning, read, isSecret: true }
}

export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number | { readonly expected: string } => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1
    return value >= least && value <= most ? value : { expected: `a whole number from ${least} to ${most}` }
  }

export const oneOf =
  <const Word extends string>(...words: readonly Word[]) =>
  (text: string): Word | { readonly expected: string } =>
    words.find((word) => word === text) ?? { expected: words.join(' or ') }

export const anyText = (text: string): string => text
export const folder = (text: string): string => resolve(text)

export const httpAddress = (text: string): string | { readonly expected: string } =>
  text === '' || (/^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/.test(text) && URL.canParse(text))
    ? text.replace(/\/$/, '')
    : { expected: 'an address such as https://pay.example.com' }

// Whatever is asked for there stands right below it.
export const httpOrigin = (text: string): string | { readonly expected: string } =>
  text === '' || (/^https?:\/\/[^\s/?#]+\/?$/.test(text) && URL.canParse(text))
    ? text.replace(/\/$/, '')
    : { expected: 'an address without a path, such as https://pay.example.com' }

export const postgresAddress = (text: string): string | { readonly expected: string } =>
  text === '' || /^postgres(ql)?:\/\/\S+$/.test(text)
    ? text
    : { expected: 'an address such as postgresql://user:password@host/database' }

export const networks = (text: string): readonly string[] | { readonly expected: string } => {
  const items = text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]))
  return items.every(isNetwork)
    ? items
    : { expected: 'addresses or networks such as 10.0.0.0/8, separated by commas, and never everybody (/0)' }
}

// Where everybody is trusted, every caller may choose an address.
function isNetwork(text: string): boolean {
  const [address = '', prefix = '32', ...rest] = text.split('/')
  const bits = isIP(address) === 6 ? 128 : 32
  const isPrefix = /^\d{1,3}$/.test(prefix) && Number(prefix) > 0 && Number(prefix) <= bits
  return rest.length === 0 && isIP(address) > 0 && isPrefix
}
