import type { EngineContext } from '#engine/context.ts'
import {
  type BankAccountAtRest,
  drawBankAccountIds,
  findSealedAccounts,
  insertBankAccounts,
} from '#engine/vault/bank-account.store.ts'
import { useCurrentKey } from '#engine/vault/current-key.operation.ts'
import {
  type BankAccountId,
  type BankAccountOpening,
  type BankAccountRef,
  CardUnreadable,
  type NewBankAccount,
} from '#engine/vault/vault.ts'
import { assert } from '#kernel/assert.ts'
import { BankAccountNumber } from '#kernel/bank-account-number.ts'
import { type Belonging, openEnvelope, sealEnvelope } from '#platform/crypto/envelope.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'keyRing'>
type Storing = { readonly accounts: readonly NewBankAccount[]; readonly at: Temporal.Instant }

// All account numbers have one length once they are sealed.
const digitsMax = 17

// Seals each account under a key of its own, as cards are; one series of ids numbers both.
export async function storeBankAccounts(
  { keyRing }: Needs,
  tx: Tx,
  { accounts, at }: Storing,
): Promise<readonly BankAccountId[]> {
  if (accounts.length === 0) return []
  const [key, ids] = await Promise.all([
    useCurrentKey({ keyRing }, tx, at),
    drawBankAccountIds(tx, accounts.length),
  ])
  const sealed = accounts.map((account, place) => {
    const id = ids[place]
    assert(id !== undefined, 'as many ids are drawn as there are accounts')
    const ref = { account: account.account, bankAccountId: id }
    const plaintext = Buffer.from(account.number.reveal().padEnd(digitsMax), 'latin1')
    try {
      return { ...account, ...ref, ...sealEnvelope(key, belongingOf({ keyRing }, ref), plaintext) }
    } finally {
      plaintext.fill(0)
    }
  })
  await insertBankAccounts(tx, { accounts: sealed, keyVersion: key.version, at })
  return sealed.map((one) => one.bankAccountId)
}

export async function openBankAccounts(
  { keyRing }: Needs,
  db: Queryable,
  refs: readonly BankAccountRef[],
): Promise<readonly (BankAccountOpening | null)[]> {
  if (refs.length === 0) return []
  const rows = await findSealedAccounts(db, refs)
  await keyRing.cardKeys.load(new Set(rows.map(({ keyVersion }) => keyVersion)))
  const rowById = new Map(rows.map((row) => [row.bankAccountId, row]))
  return refs.map(({ account, bankAccountId: id }) => {
    const row = rowById.get(id)
    return row?.account === account ? openAccount({ keyRing }, row) : null
  })
}

function openAccount({ keyRing }: Needs, row: BankAccountAtRest): BankAccountOpening {
  const { bankAccountId: id, keyVersion, routingNumber, type, isBusiness } = row
  const key = keyRing.cardKeys.find(keyVersion)
  if (!key) return unreadable(id, keyRing.cardKeys.missing(keyVersion))
  const plaintext = openEnvelope(key, belongingOf({ keyRing }, row), row)
  const number = plaintext && BankAccountNumber.parse(plaintext.toString('latin1'))
  plaintext?.fill(0)
  return number
    ? { kind: 'opened', number, routingNumber, type, isBusiness }
    : unreadable(id, 'it was changed, moved or sealed with another key.')
}

function unreadable(id: BankAccountId, reason: string): BankAccountOpening {
  return {
    kind: 'unreadable',
    fault: new CardUnreadable(`The bank account ${id} cannot be opened: ${reason}`),
  }
}

// A number that was moved to another account or installation does not open there, nor as a card.
function belongingOf({ keyRing }: Needs, { account, bankAccountId: id }: BankAccountRef): Belonging {
  return { purpose: 'bank-account', owner: [keyRing.id, String(account), String(id)] }
}
