import { assert } from '#kernel/assert.ts'

// An exact decimal number: units divided by 10 to the power of scale. 10.1 is { units: 101n, scale: 1 }.
export type Decimal = { readonly units: bigint; readonly scale: number }

const pattern = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/
// A double has at most 324 decimals and 15 of its digits are exact. The bounds keep the numbers short.
const decimalsMax = 340
const zerosMax = 40

// Reads what JSON, XML and people write: 10, 10.10, 1e3. Trailing zeros after the point do not count.
export function parseDecimal(text: string): Decimal | null {
  const match = pattern.exec(text)
  if (!match) return null
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const scale = fraction.length - Number(exponent)
  if (scale > decimalsMax || -scale > zerosMax) return null
  const units = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n)
  return shorten(scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale })
}

export function printDecimal(value: Decimal): string {
  if (value.scale === 0) return value.units.toString()
  const sign = value.units < 0n ? '-' : ''
  const digits = (value.units < 0n ? -value.units : value.units).toString().padStart(value.scale + 1, '0')
  return `${sign}${digits.slice(0, -value.scale)}.${digits.slice(-value.scale)}`
}

// The number of units at another scale, or null when that would lose a digit.
export function unitsAtScale(value: Decimal, scale: number): bigint | null {
  assert(Number.isSafeInteger(scale) && scale >= 0, 'a scale is a whole number from 0')
  if (value.scale <= scale) return value.units * 10n ** BigInt(scale - value.scale)
  const divisor = 10n ** BigInt(value.scale - scale)
  return value.units % divisor === 0n ? value.units / divisor : null
}

export function significantDigits(text: string): number {
  const digits = text.replace(/[eE].*$/, '').replace(/[^0-9]/g, '')
  return digits.replace(/^0+/, '').length
}

function shorten(value: Decimal): Decimal {
  let { units, scale } = value
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n
    scale -= 1
  }
  return { units, scale }
}
