import assert from 'node:assert/strict'
import { findItem } from '#capabilities/bank-debits/bank-item.store.ts'
import { chargeBankAccountContract } from '#capabilities/bank-debits/charge-bank-account.contract.ts'
import {
  chargeBankAccount,
  repeatBankCharge,
} from '#capabilities/bank-debits/charge-bank-account.operation.ts'
import { creditBankDebitContract } from '#capabilities/bank-debits/credit-bank-debit.contract.ts'
import { creditBankDebit, repeatBankCredit } from '#capabilities/bank-debits/credit-bank-debit.operation.ts'
import { voidBankDebitContract } from '#capabilities/bank-debits/void-bank-debit.contract.ts'
import { repeatBankVoid, voidBankDebit } from '#capabilities/bank-debits/void-bank-debit.operation.ts'
import { reconcile } from '#capabilities/reconciliation/reconcile.operation.ts'
import { batchId } from '#capabilities/settlement/batch.ts'
import { settleAllContract } from '#capabilities/settlement/settle-all.contract.ts'
import { settleAll } from '#capabilities/settlement/settle-all.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { serve, type WireAnswer } from '#capabilities/wire/contract.ts'
import { refusedEnvelope } from '#capabilities/wire/envelope.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { apiUserId, merchantNumber, tokenId } from '#kernel/ids.ts'
import type { NachaHeader } from '#kernel/nacha/nacha-file.ts'
import { makeAccount, type World } from './session-world.ts'

export const bankSale = serve(chargeBankAccountContract, chargeBankAccount, repeatBankCharge)
export const bankVoid = serve(voidBankDebitContract, voidBankDebit, repeatBankVoid)
export const bankCredit = serve(creditBankDebitContract, creditBankDebit, repeatBankCredit)

const settleAllOfRecord = serve(settleAllContract, settleAll)

// Of a file that the payers' bank sends.
export const headerFromBank: NachaHeader = {
  destination: '110000000',
  destinationName: 'TILLGATE',
  origin: '110000000',
  originName: 'BANK',
  createdOn: Temporal.PlainDate.from('2027-01-20'),
  createdAt: new Temporal.PlainTime(6),
  modifier: 'A',
  reference: '',
}

export type Counter = { readonly needs: World; readonly caller: Caller }

// A shop whose record 1 takes bank debits.
export async function openCounter(needs: World): Promise<Counter> {
  const { accountId } = await makeAccount(needs)
  const caller = {
    address: '192.0.2.10',
    accountId,
    userId: apiUserId(1n),
    tokenId: tokenId(1n),
    merchantNumber: null,
    allowsPartialApprovals: false,
    allowsAlternateMerchants: false,
    verifiesCards: true,
    timeZone: 'America/New_York',
    sessionDigest: Buffer.alloc(32),
    expiresAt: Temporal.Instant.from('2027-01-16T11:00:00Z'),
    callerKey: null,
  }
  return { needs, caller }
}

export type Told = {
  readonly code: number
  readonly text: string
  readonly members: Readonly<Record<string, unknown>>
}

export function toldBy(answer: WireAnswer): Told {
  if (answer.ok) return { code: 0, text: answer.reply.message, members: { ...answer.reply.members } }
  const { ErrCode, RespMsg } = refusedEnvelope(answer.refusal)
  return { code: ErrCode, text: RespMsg, members: { ...answer.members } }
}

const account = { AccountNumber: '000123456789', RoutingNumber: '110000000', Amount: 25.5, AccountType: 1 }

// A debit of 25.50, unless something else is said.
export function saleOf(details: object = {}, changes: object = {}): object {
  const { request } = chargeBankAccountContract.example
  return { ...request, ChargeDetails: { ...account, ...details }, ...changes }
}

export async function debit(
  { needs, caller }: Counter,
  details: object = {},
  changes: object = {},
): Promise<number> {
  const told = toldBy(await bankSale.answer(needs, caller, saleOf(details, changes)))
  assert.equal(told.code, 0, told.text)
  return Number(told.members['TxID'])
}

export async function undo({ needs, caller }: Counter, TxID: number): Promise<Told> {
  return toldBy(await bankVoid.answer(needs, caller, { TxID }))
}

export async function credit({ needs, caller }: Counter, TxID: number, CreditAmount: number): Promise<Told> {
  return toldBy(await bankCredit.answer(needs, caller, { TxID, CreditAmount }))
}

let batches = 9_000n

// Closes a day of record 1. Answers the id of the batch; with isAccepted false everything stays on its way.
export async function settle({ needs, caller }: Counter, { isAccepted = true } = {}): Promise<bigint> {
  if (isAccepted) {
    const told = toldBy(await settleAllOfRecord.answer(needs, caller, { MerchID: 1 }))
    assert.equal(told.code, 0, told.text)
    return BigInt(Object(told.members['BatchResult']).BatchLogID)
  }
  const record = { accountId: caller.accountId, merchantNumber: merchantNumber(1), currency: 'USD' }
  const joining = { batchId: batchId(++batches), at: needs.clock.now() }
  for (const companion of needs.batchCompanions) {
    await needs.db.inTransaction(async (tx) => {
      const chosen = await companion.choose(tx, { record, ids: null })
      assert(chosen.ok)
      await companion.join(tx, { ...joining, chosen: chosen.value })
    })
  }
  return joining.batchId
}

export async function standingOf({ needs, caller }: Counter, TxID: number): Promise<string> {
  const item = await findItem(needs.db, { account: caller.accountId, id: BigInt(TxID) })
  assert(item)
  const place = item.batchId === null ? 'in no batch' : 'in a batch'
  return `${item.status}, ${place}, credited ${item.credited.minor}`
}

// The ledger with the attempts, and every row with all others.
export async function assertBankBooksAgree({ needs, caller }: Counter): Promise<void> {
  assert.equal((await verifyLedger(needs.db)).isSound, true)
  const period = {
    from: Temporal.Instant.from('2027-01-01T00:00Z'),
    to: Temporal.Instant.from('2027-03-01T00:00Z'),
  }
  const all = await Array.fromAsync(reconcile(needs, period))
  const own = all.filter((one) => one.kind === 'line' && one.line.accountId === caller.accountId)
  assert.deepEqual(
    own.flatMap(({ breaks }) => breaks),
    [],
  )
}
