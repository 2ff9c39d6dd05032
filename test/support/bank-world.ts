import assert from 'node:assert/strict'
import { chargeBankAccountContract } from '#capabilities/bank-debits/charge-bank-account.contract.ts'
import {
  chargeBankAccount,
  repeatBankCharge,
} from '#capabilities/bank-debits/charge-bank-account.operation.ts'
import { creditBankDebitContract } from '#capabilities/bank-debits/credit-bank-debit.contract.ts'
import { creditBankDebit, repeatBankCredit } from '#capabilities/bank-debits/credit-bank-debit.operation.ts'
import { joinBankItems, settleBankItems } from '#capabilities/bank-debits/settle-bank-items.operation.ts'
import { voidBankDebitContract } from '#capabilities/bank-debits/void-bank-debit.contract.ts'
import { repeatBankVoid, voidBankDebit } from '#capabilities/bank-debits/void-bank-debit.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { serve, type WireAnswer } from '#capabilities/wire/contract.ts'
import { refusedEnvelope } from '#capabilities/wire/envelope.ts'
import { apiUserId, merchantNumber, tokenId } from '#kernel/ids.ts'
import { makeAccount, type World } from './session-world.ts'

export const bankSale = serve(chargeBankAccountContract, chargeBankAccount, repeatBankCharge)
export const bankVoid = serve(voidBankDebitContract, voidBankDebit, repeatBankVoid)
export const bankCredit = serve(creditBankDebitContract, creditBankDebit, repeatBankCredit)

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

// Closes a day of record 1: everything open joins a batch, and, unless it is to stay on its way, is settled.
export async function settle({ needs, caller }: Counter, { isAccepted = true } = {}): Promise<bigint> {
  const batchId = ++batches
  const record = { accountId: caller.accountId, merchantNumber: merchantNumber(1) }
  const at = needs.clock.now()
  await needs.db.inTransaction((tx) => joinBankItems(needs, tx, { batchId, record, ids: null, at }))
  if (isAccepted) {
    await needs.db.inTransaction((tx) => settleBankItems(needs, tx, { batch: { ...record, batchId }, at }))
  }
  return batchId
}
