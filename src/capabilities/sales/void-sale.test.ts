import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { chargeCard } from '#capabilities/sales/charge-card.operation.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import { repeatVoid, voidSale } from '#capabilities/sales/void-sale.operation.ts'
import { serve, type WireAnswer } from '#capabilities/wire/contract.ts'
import { refusedEnvelope } from '#capabilities/wire/envelope.ts'
import { type Attempt, attemptId, type NewAttempt } from '#engine/payments/attempt.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import type { Follower } from '#engine/payments/follower.ts'
import { parentFollower } from '#engine/payments/parent.follower.ts'
import { type Paid, pay } from '#engine/payments/pay.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { refuse } from '#kernel/result.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { eventsOf } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()
const chargeOperation = serve(chargeCardContract, chargeCard)
const voidOperation = serve(voidSaleContract, voidSale, repeatVoid)

type Told = {
  readonly code: number
  readonly text: string
  readonly members: Readonly<Record<string, unknown>>
}

function toldBy(answer: WireAnswer): Told {
  if (answer.ok) return { code: 0, text: answer.reply.message, members: { ...answer.reply.members } }
  const { ErrCode: code, RespMsg } = refusedEnvelope(answer.refusal)
  return { code, text: RespMsg, members: { ...answer.members } }
}

async function sell({ needs, caller }: Till, changes: object = {}): Promise<number> {
  const body = { ...chargeCardContract.example.request, ...changes }
  return Number(toldBy(await chargeOperation.answer(needs, caller, body)).members['TxID'])
}

async function undo({ needs, caller }: Till, TxID: number): Promise<Told> {
  return toldBy(await voidOperation.answer(needs, caller, { TxID }))
}

const listBalancesStatement = statement(
  'test_list_balances',
  [int8],
  { name: text, balance: int8 },
  `select name, sum(amount)::int8 as balance
   from (
     select debit as name, amount_minor as amount from posting where account_id = $1
     union all select credit, -amount_minor from posting where account_id = $1
   ) as side
   group by name having sum(amount) <> 0 order by name`,
)

async function booksOf({ needs: { db }, caller }: Till): Promise<readonly string[]> {
  const rows = await db.run(listBalancesStatement, [caller.accountId])
  return rows.map(({ name, balance }) => `${name} ${balance}`)
}

async function bankTurns({ needs: { bank } }: Till): Promise<readonly string[]> {
  return (await bank.log.read({ last: 100 })).map(({ verb, reply }) => `${verb} ${reply.outcome}`)
}

test('a void gives everything back, at the bank and in the books', async () => {
  const till = await openTill(world())
  const sale = await sell(till)
  assert.deepEqual(await booksOf(till), ['acquirer 2550', 'merchant -2550'])
  const told = await undo(till, sale)
  assert.deepEqual([told.code, told.text], [0, `VOIDED Transaction ID : ${sale}`])
  const { TxApproved, TxID, VoidTxID } = told.members
  assert.deepEqual([TxApproved, TxID], [true, sale])
  assert(Number(VoidTxID) > sale)
  assert.deepEqual(await booksOf(till), [])
  assert.deepEqual(await bankTurns(till), ['reverse reversed', 'authorize approved'])
})

test('a void of a partial approval gives back what was approved', async () => {
  const till = await openTill(world(), { allowsPartialApprovals: true })
  const sale = await sell(till, { Amounts: { BaseAmt: 9900.1 } })
  assert.deepEqual(await booksOf(till), ['acquirer 495005', 'merchant -495005'])
  assert.equal((await undo(till, sale)).code, 0)
  assert.deepEqual(await booksOf(till), [])
})

test('a sale is voided once', async () => {
  const till = await openTill(world())
  const sale = await sell(till)
  assert.equal((await undo(till, sale)).code, 0)
  const again = await undo(till, sale)
  assert.deepEqual([again.code, again.text], [6701, `Transaction ${sale} cannot be voided: it is voided`])
  const { TxApproved, TxID, VoidTxID } = again.members
  assert.deepEqual([TxApproved, TxID], [false, sale])
  assert(Number(VoidTxID) > sale, 'the refused try is on record')
  assert.deepEqual(await booksOf(till), [])
})

test('of 20 voids at once one wins and the others are told so', async () => {
  const till = await openTill(world())
  const sale = await sell(till)
  const tolds = await Promise.all(Array.from({ length: 20 }, () => undo(till, sale)))
  assert.equal(tolds.filter(({ code }) => code === 0).length, 1)
  const lost = tolds.filter(({ code }) => code !== 0)
  for (const told of lost) assert.match(told.text, /cannot be voided: it is (being )?voided/)
  assert.deepEqual(await booksOf(till), [])
  assert.deepEqual(await bankTurns(till), ['reverse reversed', 'authorize approved'])
})

test('a declined sale cannot be voided, nor a void', async () => {
  const till = await openTill(world())
  const ccCardInfo = { AccountNumber: '4000000000000002', ExpMonth: 12, ExpYear: 30 }
  const declined = await sell(till, { ccCardInfo })
  const told = await undo(till, declined)
  assert.deepEqual(
    [told.code, told.text],
    [6701, `Transaction ${declined} cannot be voided: it is no approved sale`],
  )
  const sale = await sell(till)
  const { members } = await undo(till, sale)
  assert.equal((await undo(till, Number(members['VoidTxID']))).code, 6701)
})

test('a sale of another account is not found, exactly like one that does not exist', async () => {
  const needs = world()
  const [own, other] = [await openTill(needs), await openTill(needs)]
  const sale = await sell(own)
  const [foreign, missing] = [await undo(other, sale), await undo(other, 999_999_999)]
  assert.deepEqual(
    [foreign.code, foreign.text],
    [6724, `Could NOT retrieve transaction details for TXID ${sale}`],
  )
  assert.deepEqual(foreign.members, missing.members)
  assert.equal((await undo(own, sale)).code, 0)
})

test('a token for one merchant record does not void the sales of another', async () => {
  const till = await openTill(world())
  const sale = await sell(till)
  const bound = { ...till, caller: { ...till.caller, merchantNumber: merchantNumber(2) } }
  assert.equal((await undo(bound, sale)).code, 6724)
})

test('a void whose answer was lost is repeated until the bank acknowledges it', async () => {
  const till = await openTill(world())
  const sale = await sell(till)
  till.needs.bank.faults.add({ verb: 'reverse', times: 1, delivery: { losesAnswer: true, hangsUp: true } })
  assert.equal((await undo(till, sale)).code, 0)
  assert.deepEqual(await bankTurns(till), ['reverse reversed', 'reverse reversed', 'authorize approved'])
  assert.deepEqual(await booksOf(till), [])
})

test('a sale that the bank has settled stays, and its void is told as declined', async () => {
  const till = await openTill(world())
  const sale = await sell(till)
  const { needs, caller } = till
  const sold = await findAttemptOf(needs, { account: caller.accountId, attempt: attemptId(BigInt(sale)) })
  assert(sold)
  const terminal = { terminalId: 'T1', merchantName: 'Corner Books' }
  const items = [{ ref: sold.ref, amount: sold.approved.total, isCredit: false }]
  const batch = { ref: `${sold.ref}-batch` as typeof sold.ref, number: 1, terminal, items }
  await needs.acquirer.settle(batch, AbortSignal.timeout(5_000))
  const told = await undo(till, sale)
  const { TxApproved, VoidTxID, TxnCode } = told.members
  assert.deepEqual(
    [told.code, told.text, TxApproved, TxnCode],
    [0, 'DECLINED: invalid transaction', false, '12'],
  )
  assert(Number(VoidTxID) > sale)
  assert.deepEqual(await booksOf(till), ['acquirer 2550', 'merchant -2550'])
  assert.deepEqual(await eventsOf(needs.db, caller), ['payment.approved', 'payment.declined'])
})

test('a void is told again as it was', async () => {
  const till = await openTill(world())
  const first = await undo(till, await sell(till))
  const id = attemptId(BigInt(Number(first.members['VoidTxID'])))
  const attempt = await findAttemptOf(till.needs, { account: till.caller.accountId, attempt: id })
  assert(attempt && voidOperation.replay)
  assert.deepEqual(toldBy(await voidOperation.replay(till.needs, attempt)), first)
})

// A stand-in for the slice of consents: it writes down what it hears.
function listeningFollower(heard: string[]): Follower {
  return {
    name: 'consent',
    begin: async (_tx, starts) => {
      for (const { attempt, subject, detail } of starts)
        heard.push(`begin ${attempt.kind} ${subject} ${JSON.stringify(detail)}`)
      return new Map()
    },
    follow: async (_tx, moved) => {
      for (const { move, subject } of moved) heard.push(`${move.to} ${move.attempt.kind} ${subject}`)
    },
  }
}

async function openTillWith(follower: Follower): Promise<Till> {
  const full = world()
  const engine = paymentEngine({ ...full, followers: [follower, parentFollower] })
  return openTill({ ...full, ...engine, clock: full.clock })
}

test('the void of a charge under a consent tells the consent, and asks it for nothing', async () => {
  const heard: string[] = []
  const till = await openTillWith(listeningFollower(heard))
  const { attempt } = await sellUnder(till, 33n)
  assert.equal((await undo(till, Number(attempt.attemptId))).code, 0)
  assert.deepEqual(heard, [
    'begin sale 33 null',
    'approved sale 33',
    'begin void 33 null',
    'approved void 33',
  ])
})

test('a charge that the consent turned down cannot be voided', async () => {
  const till = await openTillWith({
    name: 'consent',
    begin: async (_tx, starts) =>
      new Map(starts.map(({ attempt }) => [attempt.ref, refuse('over_lifetime_limit').refusal])),
    follow: async () => undefined,
  })
  const { kind, attempt } = await sellUnder(till, 33n)
  assert.equal(kind, 'refused')
  assert.equal((await undo(till, Number(attempt.attemptId))).code, 6701)
})

// A sale like an ordinary one, but under a consent.
async function sellUnder(till: Till, consent: bigint): Promise<Extract<Paid, { attempt: Attempt }>> {
  const { needs, caller } = till
  const attempt = attemptId(BigInt(await sell(till)))
  const like = await findAttemptOf(needs, { account: caller.accountId, attempt })
  assert(like)
  const ref = `${like.ref.slice(0, 20)}beef` as typeof like.ref
  const following = [{ follower: 'consent', subject: consent, detail: null }]
  const sale: NewAttempt = { ...like, ref, subjectRef: ref, following, callerKey: null }
  const paid = await pay(needs, sale, async () => ({
    kind: 'approved',
    approvalCode: '123456',
    amount: like.amounts.total,
    checks: { avs: '', cvv: '' },
    networkId: '',
  }))
  assert('attempt' in paid)
  return paid
}
