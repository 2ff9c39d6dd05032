import { percentOf, triesIfMostlyDeclined, type TryCounts } from '#capabilities/form-payments/card-testing.ts'
import type { FormId } from '#capabilities/forms/form.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { bool, bytea, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const countTriesStatement = statement(
  'count_form_tries',
  [int8, text, bytea, timestamptz, timestamptz, nullable(int8)],
  {
    of_form: int4,
    other_cards: int4,
    of_network: int4,
    of_card: int4,
    of_link: int4,
    of_link_in_network: int4,
  },
  `select
     (select count(*)::integer from form_try where form_id = $1) as of_form,
     (select count(distinct card_digest)::integer from form_try where form_id = $1 and card_digest <> $3)
       as other_cards,
     (select count(*)::integer from form_try where network = $2 and tried_at > $4 and is_declined)
       as of_network,
     (select count(*)::integer from form_try where card_digest = $3 and tried_at > $5 and is_declined)
       as of_card,
     (select count(*)::integer from form_try where link_id = $6 and tried_at > $4 and is_declined)
       as of_link,
     (select count(*)::integer from form_try
       where link_id = $6 and network = $2 and tried_at > $4 and is_declined) as of_link_in_network`,
)

// Of a merchant record in the last hour, and within it of a shorter time and of cards alike.
const countMerchantTriesStatement = statement(
  'count_form_tries_of_merchant',
  [int8, int4, bytea, timestamptz, timestamptz],
  { tries: int4, invalid: int4, of_bin: int4, declined_of_bin: int4 },
  `select count(*)::integer as tries, count(*) filter (where is_invalid)::integer as invalid,
     count(*) filter (where bin_digest = $3 and tried_at > $5)::integer as of_bin,
     count(*) filter (where bin_digest = $3 and tried_at > $5 and is_declined)::integer as declined_of_bin
   from form_try where account_id = $1 and merchant_number = $2 and tried_at > $4`,
)

const countZeroTriesStatement = statement(
  'count_zero_form_tries',
  [int8, timestamptz],
  { tries: int4 },
  `select count(*)::integer as tries from form_try where account_id = $1 and tried_at > $2 and is_zero`,
)

const insertTryStatement = statement(
  'insert_form_try',
  [int8, text, bytea, timestamptz, int8, int4, bytea, bool, nullable(int8)],
  { form_try_id: int8 },
  `insert into form_try (form_id, network, card_digest, tried_at, account_id, merchant_number, bin_digest,
     is_zero, link_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   returning form_try_id`,
)

const markDeclinedStatement = statement(
  'mark_form_try_declined',
  [int8, bool],
  {},
  `update form_try set is_declined = true, is_invalid = $2 where form_try_id = $1`,
)

const markNewestDeclinedStatement = statement(
  'mark_newest_form_try_declined',
  [int8, bool],
  {},
  `update form_try set is_declined = true, is_invalid = $2
   where form_try_id = (select max(form_try_id) from form_try where form_id = $1)`,
)

const removeTryStatement = statement(
  'remove_form_try',
  [int8],
  {},
  `delete from form_try where form_try_id = $1`,
)

const removeOldTriesStatement = statement(
  'remove_old_form_tries',
  [timestamptz],
  {},
  `delete from form_try where tried_at < $1`,
)

export type CardTry = {
  readonly form: FormId
  // Each visit to a link for many payments has a form of its own.
  readonly link: bigint | null
  readonly account: AccountId
  readonly merchant: MerchantNumber
  readonly network: string
  readonly cardDigest: Buffer
  // Of the first eight digits; empty for a bank account.
  readonly binDigest: Buffer
  // The card is only asked about.
  readonly isZero: boolean
  // Real time.
  readonly at: Temporal.Instant
}

export async function countTries(db: Queryable, tried: CardTry): Promise<TryCounts> {
  const { form, link, account, merchant, network, cardDigest, binDigest, isZero, at } = tried
  const hourAgo = at.subtract({ hours: 1 })
  const [[row], [shop], [zero]] = await Promise.all([
    db.run(countTriesStatement, [form, network, cardDigest, hourAgo, at.subtract({ hours: 24 }), link]),
    db.run(countMerchantTriesStatement, [
      account,
      merchant,
      binDigest,
      hourAgo,
      at.subtract({ minutes: 10 }),
    ]),
    isZero ? db.run(countZeroTriesStatement, [account, at.subtract({ minutes: 1 })]) : [],
  ])
  const ofBin = binDigest.length > 0 ? (shop?.of_bin ?? 0) : 0
  return {
    ofForm: row?.of_form ?? 0,
    otherCardsOfForm: row?.other_cards ?? 0,
    declinesOfNetworkInHour: row?.of_network ?? 0,
    declinesOfCardInDay: row?.of_card ?? 0,
    declinesOfLinkInHour: row?.of_link ?? 0,
    declinesOfLinkFromNetworkInHour: row?.of_link_in_network ?? 0,
    declinedBinTriesInTenMinutes: triesIfMostlyDeclined({ part: shop?.declined_of_bin ?? 0, of: ofBin }),
    invalidPercentInHour: percentOf({ part: shop?.invalid ?? 0, of: shop?.tries ?? 0 }),
    zeroTriesInMinute: zero?.tries ?? 0,
  }
}

export async function insertTry(db: Queryable, tried: CardTry): Promise<bigint | null> {
  const { form, link, account, merchant, network, cardDigest, binDigest, isZero, at } = tried
  const values = [form, network, cardDigest, at, account, merchant, binDigest, isZero, link] as const
  const [row] = await db.run(insertTryStatement, values)
  return row?.form_try_id ?? null
}

export async function markTryDeclined(db: Queryable, tryId: bigint, isInvalid: boolean): Promise<void> {
  await db.run(markDeclinedStatement, [tryId, isInvalid])
}

export async function markNewestTryDeclined(db: Queryable, form: FormId, isInvalid: boolean): Promise<void> {
  await db.run(markNewestDeclinedStatement, [form, isInvalid])
}

export async function removeTry(db: Queryable, tryId: bigint): Promise<void> {
  await db.run(removeTryStatement, [tryId])
}

export async function removeOldTries(db: Queryable, before: Temporal.Instant): Promise<void> {
  await db.run(removeOldTriesStatement, [before])
}
