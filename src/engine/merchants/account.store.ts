import { accountId, type AccountId } from '#kernel/ids.ts'
import type { Account, AccountSettings, AccountState } from '#engine/merchants/account.ts'
import { bool, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const accountColumns = {
  account_id: int8,
  account_code: text,
  description: text,
  state: text,
  binds_address: bool,
  allows_partial_approvals: bool,
  allows_alternate_merchants: bool,
  verifies_cards: bool,
  created_at: timestamptz,
} as const

const insertAccountStatement = statement(
  'insert_account',
  [text, text, bool, bool, bool, bool, timestamptz],
  accountColumns,
  `insert into account (account_code, description, binds_address, allows_partial_approvals,
     allows_alternate_merchants, verifies_cards, created_at, changed_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7)
   on conflict (account_code) do nothing
   returning account_id, account_code, description, state, binds_address, allows_partial_approvals,
     allows_alternate_merchants, verifies_cards, created_at`,
)

const changeAccountStatement = statement(
  'change_account',
  [int8, text, bool, bool, bool, bool, timestamptz],
  accountColumns,
  `update account
   set description = $2, binds_address = $3, allows_partial_approvals = $4,
     allows_alternate_merchants = $5, verifies_cards = $6, changed_at = $7
   where account_id = $1
   returning account_id, account_code, description, state, binds_address, allows_partial_approvals,
     allows_alternate_merchants, verifies_cards, created_at`,
)

const changeAccountStateStatement = statement(
  'change_account_state',
  [int8, text, timestamptz],
  { account_id: int8 },
  `update account set state = $2, changed_at = $3
   where account_id = $1 and (state <> 'closed' or $2 = 'closed')
   returning account_id`,
)

const findAccountStatement = statement(
  'find_account',
  [text],
  accountColumns,
  `select account_id, account_code, description, state, binds_address, allows_partial_approvals,
     allows_alternate_merchants, verifies_cards, created_at
   from account where account_code = $1`,
)

const listAccountsStatement = statement(
  'list_accounts',
  [],
  accountColumns,
  `select account_id, account_code, description, state, binds_address, allows_partial_approvals,
     allows_alternate_merchants, verifies_cards, created_at
   from account order by account_id`,
)

// Answers null when the code is taken.
export async function insertAccount(
  db: Queryable,
  { accountCode, settings, at }: { accountCode: string; settings: AccountSettings; at: Temporal.Instant },
): Promise<Account | null> {
  const [row] = await db.run(insertAccountStatement, [accountCode, ...settingValues(settings), at])
  return row ? accountFromRow(row) : null
}

export async function changeAccountSettings(
  db: Queryable,
  { account, settings, at }: { account: AccountId; settings: AccountSettings; at: Temporal.Instant },
): Promise<Account | null> {
  const [row] = await db.run(changeAccountStatement, [account, ...settingValues(settings), at])
  return row ? accountFromRow(row) : null
}

// Answers false when the account is closed: that is for good.
export async function setAccountState(
  db: Queryable,
  { account, state, at }: { account: AccountId; state: AccountState; at: Temporal.Instant },
): Promise<boolean> {
  return (await db.run(changeAccountStateStatement, [account, state, at])).length > 0
}

export async function findAccountByCode(db: Queryable, accountCode: string): Promise<Account | null> {
  const [row] = await db.run(findAccountStatement, [accountCode])
  return row ? accountFromRow(row) : null
}

export async function loadAccounts(db: Queryable): Promise<readonly Account[]> {
  return (await db.run(listAccountsStatement, [])).map(accountFromRow)
}

function settingValues(settings: AccountSettings) {
  return [
    settings.description,
    settings.bindsAddress,
    settings.allowsPartialApprovals,
    settings.allowsAlternateMerchants,
    settings.verifiesCards,
  ] as const
}

function accountFromRow(row: RowOf<typeof accountColumns>): Account {
  return {
    accountId: accountId(row.account_id),
    accountCode: row.account_code,
    description: row.description,
    state: row.state as AccountState,
    bindsAddress: row.binds_address,
    allowsPartialApprovals: row.allows_partial_approvals,
    allowsAlternateMerchants: row.allows_alternate_merchants,
    verifiesCards: row.verifies_cards,
    createdAt: row.created_at,
  }
}
