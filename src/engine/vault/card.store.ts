import type { CardKind } from '#engine/acquirers/acquirer.ts'
import type { CardAtRest, CardId, CardRef, NewCard, StoredCard } from '#engine/vault/vault.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { CardExpiry } from '#kernel/card-expiry.ts'
import { accountId, type AccountId } from '#kernel/ids.ts'
import { arrayOf, bool, bytea, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

// An id is part of what its card is sealed with, so it is drawn before the row exists.
const drawCardIdsStatement = statement(
  'draw_card_ids',
  [int4],
  { card_id: int8 },
  `select nextval('vault_card_card_id_seq') as card_id from generate_series(1, $1::integer)`,
)

const shownColumns = {
  card_id: int8,
  account_id: int8,
  first_six: text,
  last_four: text,
  number_length: int4,
  brand: text,
  kind: text,
  exp_month: int4,
  exp_year: int4,
  is_erased: bool,
} as const

const insertCardsStatement = statement(
  'insert_cards',
  [
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(bytea),
    arrayOf(bytea),
    arrayOf(bytea),
    arrayOf(text),
    arrayOf(text),
    arrayOf(int4),
    arrayOf(text),
    arrayOf(text),
    arrayOf(int4),
    arrayOf(int4),
    int4,
    timestamptz,
  ],
  shownColumns,
  `with new_card as (
     select * from unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[], $6::text[],
       $7::text[], $8::integer[], $9::text[], $10::text[], $11::integer[], $12::integer[])
       as new_card (card_id, account_id, ciphertext, wrapped, fingerprint, first_six, last_four,
         number_length, brand, kind, exp_month, exp_year)
   ), fingerprinted as (
     insert into vault_fingerprint (card_id, account_id, fingerprint)
     select card_id, account_id, fingerprint from new_card
   )
   insert into vault_card (card_id, account_id, ciphertext, wrapped, kek_version, first_six, last_four,
     number_length, brand, kind, exp_month, exp_year, created_at)
   select card_id, account_id, ciphertext, wrapped, $13, first_six, last_four, number_length, brand, kind,
     exp_month, exp_year, $14
   from new_card
   returning card_id, account_id, first_six, last_four, number_length, brand, kind, exp_month, exp_year,
     erased_at is not null as is_erased`,
)

const findSealedCardsStatement = statement(
  'find_sealed_cards',
  [arrayOf(int8), arrayOf(int8)],
  {
    card_id: int8,
    account_id: int8,
    ciphertext: bytea,
    exp_month: int4,
    exp_year: int4,
    wrapped: bytea,
    kek_version: int4,
  },
  `select card.card_id, card.account_id, card.ciphertext, card.exp_month, card.exp_year, card.wrapped,
     card.kek_version
   from unnest($1::bigint[], $2::bigint[]) as asked (account_id, card_id)
   join vault_card card on card.card_id = asked.card_id and card.account_id = asked.account_id
   where card.wrapped is not null`,
)

const describeCardsStatement = statement(
  'describe_cards',
  [arrayOf(int8), arrayOf(int8)],
  shownColumns,
  `select card.card_id, card.account_id, first_six, last_four, number_length, brand, kind, exp_month,
     exp_year, erased_at is not null as is_erased
   from unnest($1::bigint[], $2::bigint[]) as asked (account_id, card_id)
   join vault_card card on card.card_id = asked.card_id and card.account_id = asked.account_id`,
)

const changeCardExpiryStatement = statement(
  'change_card_expiry',
  [int8, int8, int4, int4],
  { card_id: int8 },
  `update vault_card set exp_month = $3, exp_year = $4
   where account_id = $1 and card_id = $2 and erased_at is null
   returning card_id`,
)

// Locks in the order of ids, so that two that erase the same cards wait for each other and not in a ring.
const eraseCardsStatement = statement(
  'erase_cards',
  [arrayOf(int8), arrayOf(int8), timestamptz],
  { card_id: int8 },
  `with doomed as materialized (
     select card.card_id
     from vault_card card
     where erased_at is null and (card.account_id, card.card_id) in (
       select account_id, card_id from unnest($1::bigint[], $2::bigint[]) as asked (account_id, card_id)
     )
     order by card.card_id
     for update
   ), without_fingerprint as (
     delete from vault_fingerprint using doomed where vault_fingerprint.card_id = doomed.card_id
   )
   update vault_card set ciphertext = '', wrapped = null, kek_version = null, erased_at = $3
   from doomed where vault_card.card_id = doomed.card_id
   returning vault_card.card_id`,
)

export type SealedCard = NewCard & {
  readonly cardId: CardId
  readonly sealed: Buffer
  readonly wrapped: Buffer
  readonly fingerprint: Buffer
}

export async function drawCardIds(tx: Tx, count: number): Promise<readonly CardId[]> {
  return (await tx.run(drawCardIdsStatement, [count])).map(({ card_id }) => card_id as CardId)
}

type Insertion = {
  readonly cards: readonly SealedCard[]
  readonly keyVersion: number
  readonly at: Temporal.Instant
}

export async function insertCards(
  tx: Tx,
  { cards, keyVersion, at }: Insertion,
): Promise<ReadonlyMap<CardId, StoredCard>> {
  const rows = await tx.run(insertCardsStatement, [
    cards.map(({ cardId }) => cardId),
    cards.map(({ account }) => account),
    cards.map(({ sealed }) => sealed),
    cards.map(({ wrapped }) => wrapped),
    cards.map(({ fingerprint }) => fingerprint),
    cards.map(({ number }) => number.firstSix),
    cards.map(({ number }) => number.lastFour),
    cards.map(({ number }) => number.length),
    cards.map(({ number }) => number.brand),
    cards.map(({ kind }) => kind),
    cards.map(({ expiry }) => expiry.month),
    cards.map(({ expiry }) => expiry.year),
    keyVersion,
    at,
  ])
  return new Map(rows.map(shownFromRow).map((card) => [card.cardId, card]))
}

export async function findSealedCards(
  db: Queryable,
  cards: readonly CardRef[],
): Promise<readonly CardAtRest[]> {
  const rows = await db.run(findSealedCardsStatement, refValues(cards))
  return rows.map((row) => ({
    account: accountId(row.account_id),
    cardId: row.card_id as CardId,
    sealed: row.ciphertext,
    wrapped: row.wrapped,
    keyVersion: row.kek_version,
    expiry: { month: row.exp_month, year: row.exp_year },
  }))
}

export async function findShownCards(
  db: Queryable,
  cards: readonly CardRef[],
): Promise<readonly StoredCard[]> {
  return (await db.run(describeCardsStatement, refValues(cards))).map(shownFromRow)
}

export async function setCardExpiry(
  db: Queryable,
  { account, cardId, expiry }: CardRef & { readonly expiry: CardExpiry },
): Promise<boolean> {
  const rows = await db.run(changeCardExpiryStatement, [account, cardId, expiry.month, expiry.year])
  return rows.length > 0
}

export async function deleteKeysAndNumbers(
  tx: Tx,
  { cards, at }: { readonly cards: readonly CardRef[]; readonly at: Temporal.Instant },
): Promise<readonly CardId[]> {
  const rows = await tx.run(eraseCardsStatement, [...refValues(cards), at])
  return rows.map(({ card_id }) => card_id as CardId)
}

function refValues(cards: readonly CardRef[]): readonly [readonly AccountId[], readonly CardId[]] {
  return [cards.map(({ account }) => account), cards.map(({ cardId }) => cardId)]
}

function shownFromRow(row: RowOf<typeof shownColumns>): StoredCard {
  return {
    account: accountId(row.account_id),
    cardId: row.card_id as CardId,
    firstSix: row.first_six,
    lastFour: row.last_four,
    numberLength: row.number_length,
    brand: row.brand as CardBrand,
    kind: row.kind as CardKind,
    expiry: { month: row.exp_month, year: row.exp_year },
    isErased: row.is_erased,
  }
}
