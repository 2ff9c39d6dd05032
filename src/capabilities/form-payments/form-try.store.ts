import type { FormCounts } from '#capabilities/form-payments/card-testing.ts'
import type { FormId } from '#capabilities/forms/form.ts'
import { bytea, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const countTriesStatement = statement(
  'count_form_tries',
  [int8, text, bytea, timestamptz, nullable(int8)],
  {
    of_form: int4,
    other_cards: int4,
    of_network: int4,
    of_link: int4,
    of_link_in_network: int4,
  },
  `select
     (select count(*)::integer from form_try where form_id = $1) as of_form,
     (select count(distinct card_digest)::integer from form_try where form_id = $1 and card_digest <> $3)
       as other_cards,
     (select count(*)::integer from form_try where network = $2 and tried_at > $4 and is_declined)
       as of_network,
     (select count(*)::integer from form_try where link_id = $5 and tried_at > $4 and is_declined)
       as of_link,
     (select count(*)::integer from form_try
       where link_id = $5 and network = $2 and tried_at > $4 and is_declined) as of_link_in_network`,
)

const insertTryStatement = statement(
  'insert_form_try',
  [int8, text, bytea, timestamptz, bytea, nullable(int8)],
  { form_try_id: int8 },
  `insert into form_try (form_id, network, card_digest, tried_at, bin_digest, link_id)
   values ($1, $2, $3, $4, $5, $6)
   returning form_try_id`,
)

const markDeclinedStatement = statement(
  'mark_form_try_declined',
  [int8],
  {},
  `update form_try set is_declined = true where form_try_id = $1`,
)

const markNewestDeclinedStatement = statement(
  'mark_newest_form_try_declined',
  [int8],
  { card_digest: bytea, bin_digest: bytea },
  `update form_try set is_declined = true
   where form_try_id = (select max(form_try_id) from form_try where form_id = $1)
   returning card_digest, bin_digest`,
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

export type FormTry = {
  readonly form: FormId
  // Each visit to a link for many payments has a form of its own.
  readonly link: bigint | null
  readonly network: string
  readonly cardDigest: Buffer
  // Of the first eight digits at the merchant record; empty for a bank account.
  readonly binDigest: Buffer
  // Real time.
  readonly at: Temporal.Instant
}

export async function countTries(db: Queryable, tried: FormTry): Promise<FormCounts> {
  const { form, link, network, cardDigest, at } = tried
  const hourAgo = at.subtract({ hours: 1 })
  const [row] = await db.run(countTriesStatement, [form, network, cardDigest, hourAgo, link])
  return {
    ofForm: row?.of_form ?? 0,
    otherCardsOfForm: row?.other_cards ?? 0,
    declinesOfNetworkInHour: row?.of_network ?? 0,
    declinesOfLinkInHour: row?.of_link ?? 0,
    declinesOfLinkFromNetworkInHour: row?.of_link_in_network ?? 0,
  }
}

export async function insertTry(db: Queryable, tried: FormTry): Promise<bigint | null> {
  const { form, link, network, cardDigest, binDigest, at } = tried
  const [row] = await db.run(insertTryStatement, [form, network, cardDigest, at, binDigest, link])
  return row?.form_try_id ?? null
}

export async function markTryDeclined(db: Queryable, tryId: bigint): Promise<void> {
  await db.run(markDeclinedStatement, [tryId])
}

// Answers the card that was tried; null where its try is forgotten.
export async function markNewestTryDeclined(
  db: Queryable,
  form: FormId,
): Promise<Pick<FormTry, 'cardDigest' | 'binDigest'> | null> {
  const [row] = await db.run(markNewestDeclinedStatement, [form])
  return row ? { cardDigest: row.card_digest, binDigest: row.bin_digest } : null
}

export async function removeTry(db: Queryable, tryId: bigint): Promise<void> {
  await db.run(removeTryStatement, [tryId])
}

export async function removeOldTries(db: Queryable, before: Temporal.Instant): Promise<void> {
  await db.run(removeOldTriesStatement, [before])
}
