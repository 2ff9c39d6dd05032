import assert from 'node:assert/strict'
import { operations } from '#capabilities/operations.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { WireAnswer } from '#capabilities/wire/contract.ts'
import { refusedEnvelope } from '#capabilities/wire/envelope.ts'
import { requestReader } from '#capabilities/wire/read-request.ts'
import type { Account, AccountSettings } from '#engine/merchants/account.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { callerKey, makeCaller } from './consent-world.ts'
import { makeAccount, type World } from './session-world.ts'

// An account with one merchant record, and somebody who has signed in to it.
export type Till = { readonly needs: World; readonly account: Account; readonly caller: Caller }

export type Told = {
  readonly code: number
  readonly text: string
  readonly members: Readonly<Record<string, unknown>>
}

export async function openTill(needs: World, settings: Partial<AccountSettings> = {}): Promise<Till> {
  const account = await makeAccount(needs, settings)
  return { needs, account, caller: await makeCaller(needs, account) }
}

// The same till, whose calls carry this key.
export function withKey(till: Till, key: string, operation = 'CardSale/Manual'): Till {
  const claimed = { ...callerKey(key, operation), fingerprint: Buffer.from(key) }
  return { ...till, caller: { ...till.caller, callerKey: claimed } }
}

// Calls operations by their paths, as the interface would.
export async function call({ needs, caller }: Till, path: string, body: object): Promise<Told> {
  const operation = operations.find(({ contract }) => contract.path === path)
  assert(operation, `there is no operation ${path}`)
  const read = requestReader(operation.contract.request)(body)
  if (!read.ok) return { code: refusedEnvelope(read.refusal).ErrCode, text: '', members: {} }
  return toldBy(await operation.answer(needs, caller, read.value))
}

function toldBy(answer: WireAnswer): Told {
  if (answer.ok) return { code: 0, text: answer.reply.message, members: { ...answer.reply.members } }
  const { ErrCode: code, RespMsg } = refusedEnvelope(answer.refusal)
  return { code, text: RespMsg, members: { ...answer.members } }
}

type Sale = { readonly card?: string; readonly record?: number; readonly fee?: number }

export async function sell(
  till: Till,
  amount: number,
  { card, record = 1, fee }: Sale = {},
): Promise<number> {
  const told = await call(till, 'CardSale/Manual', {
    ccCardInfo: { AccountNumber: card ?? '4111111111111111', ExpMonth: 12, ExpYear: 2030 },
    Amounts: { BaseAmt: amount, ...(fee === undefined ? {} : { Surcharge: fee }) },
    MerchID: record,
  })
  return Number(told.members['TxID'])
}

export function undo(till: Till, TxID: number): Promise<Told> {
  return call(till, 'CardSale/Void', { TxID })
}

export function credit(till: Till, TxID: number, CreditAmount: number): Promise<Told> {
  return call(till, 'CardSale/ApplyCredit', { TxID, CreditAmount })
}

// Batches of a terminal whose id begins with REJECT are declined by the simulated bank.
export async function useTerminal({ needs, account }: Till, terminalId: string): Promise<void> {
  const changes = { terminalId }
  const wish = { account: account.accountId, merchant: merchantNumber(1), changes }
  assert((await changeMerchant(needs, wish)).ok)
}

export type ToldBatch = Told & {
  readonly isApproved: boolean
  readonly batch: Readonly<Record<string, string | number>>
}

export async function settleAll(till: Till, MerchID = 1): Promise<ToldBatch> {
  return batchTold(await call(till, 'Settlement/ExecuteBatch_All', { MerchID }))
}

export async function settleSome(
  till: Till,
  TransactionIDs: readonly number[],
  MerchID = 1,
): Promise<ToldBatch> {
  return batchTold(await call(till, 'Settlement/ExecuteBatch_Selective', { TransactionIDs, MerchID }))
}

function batchTold(told: Told): ToldBatch {
  const { BatchResult, SettlementApproved } = told.members
  return { ...told, isApproved: SettlementApproved === true, batch: Object(BatchResult) }
}

const eventsStatement = statement(
  'test_events_at_till',
  [int8],
  { type: text },
  `select type from event where account_id = $1 order by event_id`,
)

export async function eventsOf({ needs, account }: Till): Promise<readonly string[]> {
  return (await needs.db.run(eventsStatement, [account.accountId])).map(({ type }) => type)
}
