import type { TryCounts } from '#capabilities/forms/card-testing.ts'
import type { FormId } from '#capabilities/forms/form.ts'
import { bytea, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const countTriesStatement = statement(
  'count_form_tries',
  [int8, text, bytea, timestamptz, timestamptz],
  { of_form: int4, other_cards: int4, of_network: int4, of_card: int4 },
  `select
     (select count(*)::integer from form_try where form_id = $1) as of_form,
     (select count(distinct card_digest)::integer from form_try where form_id = $1 and card_digest <> $3)
       as other_cards,
     (select count(*)::integer from form_try where network = $2 and tried_at > $4 and is_declined)
       as of_network,
     (select count(*)::integer from form_try where card_digest = $3 and tried_at > $5 and is_declined)
       as of_card`,
)

const insertTryStatement = statement(
  'insert_form_try',
  [int8, text, bytea, timestamptz],
  { form_try_id: int8 },
  `insert into form_try (form_id, network, card_digest, tried_at) values ($1, $2, $3, $4)
   returning form_try_id`,
)

const markDeclinedStatement = statement(
  'mark_form_try_declined',
  [int8],
  {},
  `update form_try set is_declined = true where form_try_id = $1`,
)

const removeOldTriesStatement = statement(
  'remove_old_form_tries',
  [timestamptz],
  {},
  `delete from form_try where tried_at < $1`,
)

export type CardTry = {
  readonly form: FormId
  readonly network: string
  readonly cardDigest: Buffer
  // Real time.
  readonly at: Temporal.Instant
}

export async function countTries(
  db: Queryable,
  { form, network, cardDigest, at }: CardTry,
): Promise<TryCounts> {
  const [row] = await db.run(countTriesStatement, [
    form,
    network,
    cardDigest,
    at.subtract({ hours: 1 }),
    at.subtract({ hours: 24 }),
  ])
  return {
    ofForm: row?.of_form ?? 0,
    otherCardsOfForm: row?.other_cards ?? 0,
    declinesOfNetworkInHour: row?.of_network ?? 0,
    declinesOfCardInDay: row?.of_card ?? 0,
  }
}

export async function insertTry(
  db: Queryable,
  { form, network, cardDigest, at }: CardTry,
): Promise<bigint | null> {
  const [row] = await db.run(insertTryStatement, [form, network, cardDigest, at])
  return row?.form_try_id ?? null
}

export async function markTryDeclined(db: Queryable, tryId: bigint): Promise<void> {
  await db.run(markDeclinedStatement, [tryId])
}

export async function removeOldTries(db: Queryable, before: Temporal.Instant): Promise<void> {
  await db.run(removeOldTriesStatement, [before])
}
