import { Type } from 'typebox'
import { exact } from '#capabilities/wire/amounts.wire.ts'
import type { AskedAmount } from '#engine/fees/asked-money.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { LeavableNumber, outOfRange, WireId, type WireOf } from '#capabilities/wire/scalars.wire.ts'
import { merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import { ok, type Result } from '#kernel/result.ts'

export const ConsentNumber = WireId('The consent of the stored card.')

export const AlternateRecord = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: 'The merchant record to collect the funds; 0 for the one of the consent.',
  'x-id': true,
})

export function alternateFrom(given: WireOf<typeof AlternateRecord> | undefined): MerchantNumber | null {
  return given ? merchantNumber(given) : null
}

// In changes 0 and -1 stand for "as it is", in new consents for "the usual".
export const ConsentDays = (description: string) => LeavableNumber(36_500, description)

export function numberOrNone(given: number | undefined): number | null {
  return given === undefined || given === 0 || given === -1 ? null : given
}

export function amountOrNone(
  given: number | undefined,
  member: string,
): Result<AskedAmount | null, RequestFault> {
  const amount = numberOrNone(given)
  if (amount === null) return ok(null)
  return amount < 0 ? outOfRange(`${member} must not be negative`) : ok({ amount: exact(amount), member })
}

export function textOrNone(given: string | undefined): string | null {
  return given === undefined || given === '' || given === '-1' ? null : given
}
