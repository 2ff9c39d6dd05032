import fc from 'fast-check'
import { passesLuhn } from '#kernel/luhn.ts'

// A magnetic stripe as an issuer could have written it.
export type AnyStripe = {
  readonly number: string
  readonly month: number
  readonly year: number
  readonly one: string
  readonly two: string
}

const tenDigits = Array.from({ length: 10 }, (_, digit) => String(digit))
const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...tenDigits), minLength, maxLength })

const cardNumber = digits(11, 18).map((body) => {
  const check = tenDigits.find((digit) => passesLuhn(body + digit))
  return body + (check ?? '')
})

const sixBits = Array.from({ length: 64 }, (_, at) => String.fromCharCode(0x20 + at))
const name = fc.string({
  unit: fc.constantFrom(...sixBits.filter((mark) => !'%?^'.includes(mark))),
  minLength: 2,
  maxLength: 26,
})
const furtherOne = fc.string({
  unit: fc.constantFrom(...sixBits.filter((mark) => !'%?'.includes(mark))),
  maxLength: 19,
})

export const anyStripe: fc.Arbitrary<AnyStripe> = fc
  .record({
    number: cardNumber,
    month: fc.integer({ min: 1, max: 12 }),
    year: fc.integer({ min: 0, max: 99 }),
    name,
    service: fc.option(digits(3, 3)),
    furtherOne,
    furtherTwo: digits(0, 8),
    checkOne: fc.constantFrom('', ...sixBits),
    checkTwo: fc.constantFrom('', ...tenDigits, ':', ';', '<', '=', '>', '?'),
  })
  .map(({ number, month, year, service, ...parts }) => {
    const expiry = `${String(year).padStart(2, '0')}${String(month).padStart(2, '0')}`
    const one = `%B${number}^${parts.name}^${expiry}${service ?? '^'}`
    const two = `;${number}=${expiry}${service ?? '='}${parts.furtherTwo}?`
    return {
      number,
      month,
      year: 2000 + year,
      one: `${one}${parts.furtherOne.slice(0, 77 - one.length)}?${parts.checkOne}`,
      two: `${two}${parts.checkTwo}`,
    }
  })
