import { bankAttempt } from '#capabilities/bank-debits/bank-attempt.ts'
import type { BankItem } from '#capabilities/bank-debits/bank-item.ts'
import { findItemsByTrace, lockItem, lockItems } from '#capabilities/bank-debits/bank-item.store.ts'
import { bankParentFollower } from '#capabilities/bank-debits/bank-parent.follower.ts'
import {
  correctedAccount,
  type CorrectedAccount,
  isSameAccount,
} from '#capabilities/bank-debits/correction.ts'
import { correctItem } from '#capabilities/bank-debits/correction.store.ts'
import { holdBackCredits, type ReturnedDebit } from '#capabilities/bank-debits/hold-back-credits.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { NewEvent } from '#engine/events/event.ts'
import { following } from '#engine/payments/follower.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { knownAnswer, recordAtOnce } from '#engine/payments/record-at-once.operation.ts'
import type { NachaAddenda, NachaBatch, NachaEntry } from '#kernel/nacha/nacha-file.ts'
import { readNacha } from '#kernel/nacha/read-nacha.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'followers' | 'vault'>

// What a file of returns has changed.
export type AppliedReturns = {
  readonly returned: readonly BankItem[]
  // Credits of what was returned, which waited for their file and are not sent any more.
  readonly heldBack: readonly BankItem[]
  readonly corrected: readonly BankItem[]
  // Returns and notices that had been applied before.
  readonly known: number
}

type Told = { readonly addenda: NachaAddenda; readonly entry: NachaEntry; readonly item: BankItem }

// Reads what a bank has sent back and applies all of it in one transaction, or nothing: a file with a single
// damaged line, or with a line about something that we never sent, is refused. A file may be read twice.
export async function applyReturns(
  needs: Needs,
  text: string,
): Promise<Result<AppliedReturns, 'nacha_file_broken' | 'returns_not_ours'>> {
  const read = readNacha(text)
  if (!read.ok) return read
  const told = await findTold(needs, read.value)
  if (!told.ok) return told
  return ok(await needs.db.inTransaction((tx) => apply(needs, tx, told.value)))
}

async function findTold(
  { db }: Needs,
  batches: readonly NachaBatch[],
): Promise<Result<readonly Told[], 'returns_not_ours'>> {
  const entries = batches.flatMap((batch) => batch.entries)
  const traces = entries.flatMap(({ addenda }) => (addenda ? [addenda.originalTrace] : []))
  const items = await findItemsByTrace(db, traces)
  const told: Told[] = []
  const seen = new Set<string>()
  for (const entry of entries) {
    const { addenda, trace } = entry
    if (!addenda) return notOurs(`the entry ${trace} says nothing about itself`)
    const { originalTrace, kind } = addenda
    const item = items.get(originalTrace)
    if (!item) return notOurs(`nothing was sent under the trace number ${originalTrace}`)
    if (entry.individualId !== String(item.attemptId))
      return notOurs(`${originalTrace} was sent for another transaction`)
    if (item.status === 'open') return notOurs(`${originalTrace} is in a batch that is not accepted yet`)
    if (kind === 'return' && entry.amountMinor !== item.total.minor)
      return notOurs(`${originalTrace} was sent with another amount`)
    if (seen.has(`${kind} ${item.attemptId}`)) return notOurs(`${originalTrace} stands in it twice`)
    seen.add(`${kind} ${item.attemptId}`)
    told.push({ addenda, entry, item })
  }
  return ok(told)
}

function notOurs(problem: string) {
  return refuse('returns_not_ours', { problem })
}

async function apply(needs: Needs, tx: Tx, told: readonly Told[]): Promise<AppliedReturns> {
  // Whoever gives a batch back holds the debits of its credits in the same order.
  await lockItems(
    tx,
    told.map(({ item }) => item.parentId ?? item.attemptId),
  )
  const returns = told.filter(({ addenda }) => addenda.kind === 'return')
  const applied = await applyEach(needs, tx, returns)
  const heldBack = await holdBackCredits(needs, tx, applied.filter(isOfDebit).map(asReturned))
  const corrected = await correct(needs, tx, told)
  const returned = applied.map(({ item }) => item)
  return { returned, heldBack, corrected, known: told.length - returned.length - corrected.length }
}

// A return is an attempt that its bank has made: it undoes the item, with postings and an event. One that was
// applied before is turned down by the item's own row.
async function applyEach(needs: Needs, tx: Tx, returns: readonly Told[]): Promise<readonly Told[]> {
  const attempts = returns.map(({ addenda, item }) => {
    const attempt = bankAttempt(
      { accountId: item.accountId, callerKey: null },
      {
        kind: item.kind === 'debit' ? 'bank_return' : 'bank_credit_return',
        parentId: item.attemptId,
        merchant: item.merchantNumber,
        amount: item.total,
        details: { ...item.details, user: '', userId: '' },
        following: [following(bankParentFollower, item.attemptId, { returnCode: addenda.code })],
        ref: newReference(),
        at: needs.accountClock.now(item.accountId),
      },
    )
    return { attempt, answer: knownAnswer(item.total, addenda.code) }
  })
  const paid = await recordAtOnce(tx, needs, attempts)
  return returns.filter((_, place) => paid[place]?.kind === 'recorded')
}

function isOfDebit({ item }: Told): boolean {
  return item.kind === 'debit'
}

function asReturned({ item, addenda: { code } }: Told): ReturnedDebit {
  return { item, code }
}

// Each by the clock of its own account; a file brings few of them. One that says what is known is passed
// over.
async function correct(needs: Needs, tx: Tx, told: readonly Told[]): Promise<readonly BankItem[]> {
  const corrected: BankItem[] = []
  for (const { addenda, item: found } of told) {
    if (addenda.kind !== 'change') continue
    const debit = await lockItem(tx, found.parentId ?? found.attemptId)
    const item = await lockItem(tx, found.attemptId)
    const at = needs.accountClock.now(item.accountId)
    const notice = await judge(needs, tx, { addenda, item, debit })
    if (notice.isKnown) continue
    const bankAccount = notice.better && (await keepBetter(needs, tx, { item, better: notice.better, at }))
    const correction = { item: item.attemptId, debit: debit.attemptId, code: addenda.code, bankAccount }
    await correctItem(tx, correction, at)
    const lastFour = notice.better?.number.lastFour ?? item.details.lastFour
    await appendEvents(tx, [correctedEvent(item, addenda.code, lastFour)], at)
    corrected.push(item)
  }
  return corrected
}

type Notice = {
  readonly addenda: NachaAddenda & { readonly kind: 'change' }
  readonly item: BankItem
  // Of which the item gives something back, or the item itself.
  readonly debit: BankItem
}

// What a notice says about the account as it is known by now: as it was sent, or as it was corrected before.
async function judge({ vault }: Needs, tx: Tx, { addenda, item: { correctionCode }, debit }: Notice) {
  const { accountId: account, correctedAccountId } = debit
  const bankAccountId = correctedAccountId ?? debit.bankAccountId
  const [opening] = await vault.openBankAccounts(tx, [{ account, bankAccountId }])
  const better = opening?.kind === 'opened' ? correctedAccount(opening, addenda) : null
  if (!better || opening?.kind !== 'opened') return { better: null, isKnown: correctionCode === addenda.code }
  return { better, isKnown: correctedAccountId !== null && isSameAccount(better, opening) }
}

type Keeping = {
  readonly item: BankItem
  readonly better: CorrectedAccount
  readonly at: Temporal.Instant
}

// The better account goes into the vault like any other.
async function keepBetter({ vault }: Needs, tx: Tx, { item, better, at }: Keeping) {
  const accounts = [{ account: item.accountId, ...better }]
  const [bankAccount = null] = await vault.storeBankAccounts(tx, { accounts, at })
  return bankAccount
}

function correctedEvent(item: BankItem, code: string, lastFour: string): NewEvent {
  const { clientRef, guid } = item.details
  const body = { code, lastFour, merchant: String(item.merchantNumber), clientRef, guid }
  return { accountId: item.accountId, type: 'ach.corrected', objectId: item.attemptId, body }
}
