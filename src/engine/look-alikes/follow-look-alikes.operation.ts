import { hash } from 'node:crypto'
import { fateOf, type LookAlike, type References } from '#engine/look-alikes/look-alike.ts'
import { lookAlikeFollower } from '#engine/look-alikes/look-alike.follower.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { type Attempt, attemptId, type Following, type NewAttempt } from '#engine/payments/attempt.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import { following } from '#engine/payments/follower.ts'
import { assert } from '#kernel/assert.ts'
import type { Money } from '#kernel/money.ts'
import { refuse, type Refused } from '#kernel/result.ts'
import type { Queryable } from '#platform/postgres/database.ts'

// A charge of a merchant record that asks for the check follows the references of its request; one of another
// record stays as it is.
export function asLookAlike(sale: NewAttempt, merchant: Merchant, references: References): NewAttempt {
  if (merchant.lookAlikeSeconds === 0) return sale
  const charged = { consentId: sale.details.consentId, total: sale.amounts.total }
  const followed = lookAlikesOf(charged, merchant, references)
  return followed.length === 0 ? sale : { ...sale, following: [...sale.following, ...followed] }
}

type Charged = {
  // Empty: under none.
  readonly consentId: string
  readonly total: Money
}

export function lookAlikesOf(
  charged: Charged,
  merchant: Merchant,
  { clientRef, guid }: References,
): readonly Following[] {
  const { lookAlikeSeconds: seconds } = merchant
  if (seconds === 0) return []
  const named = [['clientRef', clientRef] as const, ['guid', guid] as const]
  return named
    .filter(([, reference]) => reference !== '')
    .map((reference) => following(lookAlikeFollower, likenessOf(charged, merchant, reference), { seconds }))
}

// The first 64 bits of a digest: the id of a row that nobody has to look for first.
function likenessOf(
  { consentId, total: { minor, currency } }: Charged,
  { accountId, merchantNumber }: Merchant,
  [kind, reference]: readonly [keyof References, string],
): bigint {
  const parts = [accountId, merchantNumber, consentId, minor, currency, kind, reference]
  return hash('sha256', parts.join('\n'), 'buffer').readBigInt64BE()
}

// Whatever voids a charge follows the same references.
export function lookAlikesUndoneBy({ following: followed }: Attempt): readonly Following[] {
  return followed
    .filter(({ follower }) => follower === lookAlikeFollower.name)
    .map(({ subject }) => following(lookAlikeFollower, subject, null))
}

// What whoever was turned down is told: the earlier charge, and what became of it.
export async function tellEarlier(
  needs: { readonly db: Queryable },
  { attempt: { accountId: account }, refusal: { details } }: LookAlike,
): Promise<Refused<'look_alike', Attempt>> {
  const attempt = attemptId(BigInt(details['transaction'] ?? 0))
  const earlier = await findAttemptOf(needs, { account, attempt })
  assert(earlier, 'whoever has taken a reference was recorded with it')
  return refuse('look_alike', { ...details, fate: fateOf(earlier) }, earlier)
}
