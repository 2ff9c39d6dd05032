import {
  type BankAccountFacts,
  type BankAccountId,
  type BankAccountRef,
  type NewBankAccount,
} from '#engine/vault/vault.ts'
import { accountId } from '#kernel/ids.ts'
import { arrayOf, bool, bytea, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertBankAccountsStatement = statement(
  'insert_bank_accounts',
  [
    arrayOf(int8),
    arrayOf(int8),
    arrayOf(bytea),
    arrayOf(bytea),
    arrayOf(text),
    arrayOf(text),
    arrayOf(text),
    arrayOf(bool),
    int4,
    timestamptz,
  ],
  {},
  `with new_account as (
     select * from unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[], $5::text[], $6::text[],
       $7::text[], $8::boolean[]) as new_account (bank_account_id, account_id, ciphertext, wrapped,
       routing_number, last_four, type, is_business)
   )
   insert into vault_bank_account (bank_account_id, account_id, ciphertext, wrapped, kek_version,
     routing_number, last_four, type, is_business, created_at)
   select bank_account_id, account_id, ciphertext, wrapped, $9, routing_number, last_four, type, is_business,
     $10
   from new_account`,
)

const drawBankAccountIdsStatement = statement(
  'draw_bank_account_ids',
  [int4],
  { bank_account_id: int8 },
  `select nextval('vault_card_card_id_seq') as bank_account_id from generate_series(1, $1::integer)`,
)

const findSealedAccountsStatement = statement(
  'find_sealed_bank_accounts',
  [arrayOf(int8), arrayOf(int8)],
  {
    bank_account_id: int8,
    account_id: int8,
    ciphertext: bytea,
    routing_number: text,
    type: text,
    is_business: bool,
    wrapped: bytea,
    kek_version: int4,
  },
  `select kept.bank_account_id, kept.account_id, kept.ciphertext, kept.routing_number, kept.type,
     kept.is_business, kept.wrapped, kept.kek_version
   from (
     select distinct account_id, bank_account_id
     from unnest($1::bigint[], $2::bigint[]) as asked (account_id, bank_account_id)
   ) asked
   join vault_bank_account kept using (account_id, bank_account_id)
   where kept.wrapped is not null`,
)

// As cards are erased: without its key nobody reads it, not even from a backup under keys that are gone.
const eraseBankAccountsStatement = statement(
  'erase_bank_accounts',
  [arrayOf(int8), arrayOf(int8), timestamptz],
  { bank_account_id: int8 },
  `with doomed as materialized (
     select kept.bank_account_id
     from vault_bank_account kept
     where erased_at is null and (kept.account_id, kept.bank_account_id) in (
       select account_id, bank_account_id
       from unnest($1::bigint[], $2::bigint[]) as asked (account_id, bank_account_id)
     )
     order by kept.bank_account_id
     for update
   )
   update vault_bank_account kept set ciphertext = '', wrapped = null, kek_version = null, erased_at = $3
   from doomed where kept.bank_account_id = doomed.bank_account_id
   returning kept.bank_account_id`,
)

// From the series of the cards: what is sealed for one id is that of a card or of an account, never of both.
export async function drawBankAccountIds(tx: Tx, count: number): Promise<readonly BankAccountId[]> {
  const rows = await tx.run(drawBankAccountIdsStatement, [count])
  return rows.map((row) => row.bank_account_id as BankAccountId)
}

export type SealedBankAccount = NewBankAccount &
  BankAccountRef & { readonly sealed: Buffer; readonly wrapped: Buffer }

type Insertion = {
  readonly accounts: readonly SealedBankAccount[]
  readonly keyVersion: number
  readonly at: Temporal.Instant
}

export async function insertBankAccounts(tx: Tx, { accounts, keyVersion, at }: Insertion): Promise<void> {
  await tx.run(insertBankAccountsStatement, [
    accounts.map((one) => one.bankAccountId),
    accounts.map(({ account }) => account),
    accounts.map(({ sealed }) => sealed),
    accounts.map(({ wrapped }) => wrapped),
    accounts.map(({ routingNumber }) => routingNumber),
    accounts.map(({ number }) => number.lastFour),
    accounts.map(({ type }) => type),
    accounts.map(({ isBusiness }) => isBusiness),
    keyVersion,
    at,
  ])
}

export type BankAccountAtRest = BankAccountFacts &
  BankAccountRef & { readonly sealed: Buffer; readonly wrapped: Buffer; readonly keyVersion: number }

export async function findSealedAccounts(
  db: Queryable,
  refs: readonly BankAccountRef[],
): Promise<readonly BankAccountAtRest[]> {
  const rows = await db.run(findSealedAccountsStatement, [
    refs.map(({ account }) => account),
    refs.map((one) => one.bankAccountId),
  ])
  return rows.map((row) => ({
    account: accountId(row.account_id),
    bankAccountId: row.bank_account_id as BankAccountId,
    routingNumber: row.routing_number,
    type: row.type as BankAccountFacts['type'],
    isBusiness: row.is_business,
    sealed: row.ciphertext,
    wrapped: row.wrapped,
    keyVersion: row.kek_version,
  }))
}

type Erasure = { readonly accounts: readonly BankAccountRef[]; readonly at: Temporal.Instant }

// Answers which were erased by it.
export async function deleteNumbers(tx: Tx, { accounts, at }: Erasure): Promise<readonly BankAccountId[]> {
  const rows = await tx.run(eraseBankAccountsStatement, [
    accounts.map(({ account }) => account),
    accounts.map((one) => one.bankAccountId),
    at,
  ])
  return rows.map((row) => row.bank_account_id as BankAccountId)
}
