import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewAttempt } from '#engine/payments/attempt.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import {
  charge,
  create,
  makeConsent,
  paymentsOf,
  rowOf,
  told,
  unfinishedOf,
} from '../../test/support/consent-world.ts'
import { type Guest, look, openForm, press } from '../../test/support/form-world.ts'
import { buy, cards, findRecords, openShop, proc, stepsOf } from '../../test/support/order-world.ts'
import { instalmentsOf, makePlan, processDue, processSelected } from '../../test/support/plan-world.ts'
import { useWorld, type World } from '../../test/support/session-world.ts'
import {
  call,
  credit,
  openTill,
  sell,
  settleSome,
  type Till,
  undo,
  withKey,
} from '../../test/support/till.ts'

const world = useWorld()
const notSent = { kind: 'not_sent' } as const
const unheard = { kind: 'unknown', because: 'link_down' } as const

type Lost = {
  readonly needs: World
  // Kinds of attempts that were recorded all the same.
  readonly begun: readonly string[]
  readonly comeBack: () => Promise<void>
}

// A gateway that has just found out that its acquirer cannot be reached, and the way back.
async function lose(full: World): Promise<Lost> {
  let isAway = true
  const begun: string[] = []
  const acquirer: World['acquirer'] = {
    ...full.acquirer,
    authorize: async (...asked) => (isAway ? notSent : full.acquirer.authorize(...asked)),
    refund: async (...asked) => (isAway ? notSent : full.acquirer.refund(...asked)),
    inquire: async (...asked) => (isAway ? unheard : full.acquirer.inquire(...asked)),
  }
  const engine = paymentEngine({ ...full, acquirer })
  const listening = ({ attempts, answers }: typeof engine.bulk) => ({
    answers,
    attempts: {
      add: (attempt: NewAttempt) => {
        if (isAway) begun.push(attempt.kind)
        return attempts.add(attempt)
      },
    },
  })
  const lanes = { ...listening(engine), bulk: listening(engine.bulk) }
  const needs = { ...full, ...engine, ...lanes, clock: full.clock }
  await needs.line.check()
  assert.equal(needs.line.isUp, false)
  // As the recoverer does.
  const comeBack = async (): Promise<void> => {
    isAway = false
    await needs.line.check()
  }
  return { needs, begun, comeBack }
}

const saleOf = (till: Till) =>
  call(till, 'CardSale/Manual', {
    ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 },
    Amounts: { BaseAmt: 10 },
    MerchID: 1,
  })

test('a sale is refused before it is recorded, and its key charges when the acquirer is back', async () => {
  const { needs, begun, comeBack } = await lose(world())
  const till = withKey(await openTill(needs), 'k-1')
  const refused = await saleOf(till)
  assert.deepEqual([refused.code, refused.members['TxID']], [9002, 0])
  assert.match(refused.text, /nothing was charged/)
  assert.deepEqual(begun, [])
  await comeBack()
  assert.equal((await saleOf(till)).members['TxApproved'], true)
  assert.equal((await paymentsOf(needs.db, till.caller)).length, 1)
})

test('a charge under a consent uses nothing of its limit', async () => {
  const full = world()
  const { caller } = await openTill(full)
  const consent = await makeConsent(full, caller)
  const { needs, begun } = await lose(full)
  assert.equal(told(await charge(needs, caller, consent, { Amounts: 5 })).refusal, 'not_charged')
  assert.equal((await rowOf(full.db, consent)).used_minor, 0n)
  assert.deepEqual(begun, [])
})

test('a consent whose card cannot be verified is not there, and neither is the card', async () => {
  const { needs, begun } = await lose(world())
  const { caller } = await openTill(needs, { verifiesCards: true })
  const made = await create(needs, caller)
  assert.equal(made.ok ? '' : made.refusal.kind, 'not_charged')
  assert.deepEqual(begun, [])
  assert.deepEqual(await unfinishedOf(needs.db, caller), [])
})

test('a sale can be voided, and cannot be credited', async () => {
  const full = world()
  const till = await openTill(full)
  const [open, settled] = [await sell(till, 10), await sell(till, 20)]
  const { needs, begun } = await lose(full)
  const away = { ...till, needs }
  assert.equal((await settleSome(till, [settled])).code, 0)
  assert.equal((await credit(away, settled, 5)).code, 9002)
  assert.equal((await undo(away, open)).code, 0)
  assert.deepEqual(begun, ['void'])
  assert.equal(needs.line.isUp, true, 'it has answered')
})

test('instalments are not tried, and charged when the acquirer is back', async () => {
  const full = world()
  const { caller } = await openTill(full)
  await makePlan(full, caller)
  const { consent, schedule } = await makePlan(full, caller)
  const { needs, begun, comeBack } = await lose(full)
  const id = schedule[0]?.SchedID ?? 0
  assert.deepEqual((await processSelected(needs, caller, [id])).members?.NotChargedSchedIDs, [id])
  const [row] = await instalmentsOf(full.db, consent)
  assert.deepEqual([row?.state, row?.tries], ['scheduled', 0])
  assert.deepEqual(begun, [])
  assert.equal((await processDue(needs, caller)).members.NumProcessed, 0)
  await comeBack()
  assert.equal((await processDue(needs, caller)).members.NumApproved, 2)
})

const openOrderForm = async () => openForm(await openShop(world()), { MerchID: 2, WTYPE: 'PA' })
const without = (guest: Guest, needs: World): Guest => ({ ...guest, till: { ...guest.till, needs } })

test('a payer may press as often as he likes, and pays the same form later', async () => {
  const full = { ...world(), hasFormLimits: true }
  const guest = await openForm(await openTill(full))
  const { needs, begun } = await lose(full)
  for (let presses = 0; presses < 8; presses += 1) {
    const answer = await press(without(guest, needs))
    assert.deepEqual(answer, { kind: 'declined', family: 'unreachable' })
  }
  assert.deepEqual(begun, [])
  assert.deepEqual(await press(guest), { kind: 'paid' })
})

test('a payer may pay from a bank account meanwhile', async () => {
  const full = world()
  const guest = await openForm(await openTill(full), {}, { AllowACH: true })
  const { needs } = await lose(full)
  const account = { method: 'bank', routing: '110000000', account: '000123456789', name: 'Ada Miller' }
  assert.deepEqual(await press(without(guest, needs), account), { kind: 'paid' })
})

test('no order is begun', async () => {
  const guest = await openOrderForm()
  const { needs } = await lose(guest.till.needs)
  const answer = await press(without(guest, needs), { number: cards.recognized })
  assert.deepEqual(answer, { kind: 'declined', family: 'unreachable' })
  const { standing, form } = await look(guest)
  assert.deepEqual([standing, form.orderRef, form.tries], ['open', null, 0])
})

test('a payer who comes back from the bank meanwhile is not charged, and may go on later', async () => {
  const guest = await openOrderForm()
  const asked = await press(guest, { number: cards.challenged })
  assert(asked.kind === 'challenge')
  const { sealed, address } = asked.challenge
  const id = address.split('/').at(-1) ?? ''
  const { payerBank } = guest.till.needs
  await payerBank.answer(id, { kind: 'code', digits: (await payerBank.find(id))?.code ?? '' })
  const { needs, begun } = await lose(guest.till.needs)
  const answer = await press(without(guest, needs), { challenge: sealed })
  assert.deepEqual(answer, { kind: 'declined', family: 'unreachable' })
  assert.deepEqual(begun, [])
  assert.deepEqual(await press(guest, { challenge: sealed }), { kind: 'paid' })
})

test('an order that was begun in the last moment ends as an error, and its form stays open', async () => {
  const guest = await openOrderForm()
  let looks = 0
  const line = {
    get isUp() {
      looks += 1
      return looks === 1
    },
    check: async () => undefined,
  }
  const needs = { ...guest.till.needs, line }
  const answer = await press(without(guest, needs), { number: cards.recognized })
  assert.deepEqual(answer, { kind: 'declined', family: 'unreachable' })
  const { standing, form } = await look(guest)
  const steps = await stepsOf(guest.till, form.orderRef ?? '')
  assert.deepEqual([standing, steps.at(-1)], ['open', 'SALE ERROR/DECLINED 125'])
  assert.deepEqual(await press(guest, { number: cards.recognized }), { kind: 'paid' })
})

test('a token is not charged, and no order says so', async () => {
  const shop = await openShop(world())
  const { consentToken } = await buy(shop, { saves: true })
  const records = await findRecords(shop, '(B=-1)')
  const { needs, begun } = await lose(shop.needs)
  const refused = await proc({ ...shop, needs }, consentToken, 5)
  assert.deepEqual([refused.code, refused.members['TransID']], [9002, ''])
  assert.deepEqual([begun, await findRecords(shop, '(B=-1)')], [[], records])
})
