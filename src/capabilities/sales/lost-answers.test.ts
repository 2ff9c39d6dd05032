import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { chargeCard, repeatCharge } from '#capabilities/sales/charge-card.operation.ts'
import { stateWord } from '#capabilities/sales/found-operation.ts'
import { lookUpOperation, type Sought } from '#capabilities/sales/look-up-operation.operation.ts'
import { voidSale } from '#capabilities/sales/void-sale.operation.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import type { AttemptId } from '#engine/payments/attempt.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { impatient } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, type Till, withKey } from '../../../test/support/till.ts'

const world = useWorld()

// A bank that says nothing is given up soon, so that no test waits for it.
async function openHastyTill(key: string | null): Promise<Till> {
  const till = await openTill(impatient(world()))
  return key === null ? till : withKey(till, key)
}

async function charge({ needs, caller }: Till, amount: number) {
  const body = { ...chargeCardContract.example.request, Amounts: { BaseAmt: amount } }
  const input = chargeCardContract.fromWire(body as Parameters<typeof chargeCardContract.fromWire>[0], caller)
  assert(input.ok)
  return chargeCard(needs, caller, input.value)
}

async function words({ needs, caller }: Till, sought: Sought): Promise<readonly string[]> {
  const looked = await lookUpOperation(needs, caller, sought)
  assert(looked.ok)
  return looked.value.found.map((found) => stateWord(found))
}

// What the bank has approved, in cents.
async function atBank({ needs: { bank } }: Till): Promise<readonly string[]> {
  const lines: string[] = []
  const always = ['2020-01-01T00:00:00Z', '2040-01-01T00:00:00Z'].map((text) => Temporal.Instant.from(text))
  const [from, to] = always
  assert(from && to)
  for await (const { reply, reversedAt } of bank.log.report(from, to)) {
    lines.push(`${reply.approvedMinor}${reversedAt ? ' reversed' : ''}`)
  }
  return lines
}

async function stateOf({ needs, caller }: Till, attempt: AttemptId): Promise<string | undefined> {
  return (await findAttemptOf(needs, { account: caller.accountId, attempt }))?.state
}

for (const [what, key] of [
  ['with a key', 'lost-1'],
  ['without a key', null],
] as const) {
  test(`a lost answer is asked for while the caller still waits, ${what}`, async () => {
    const till = await openHastyTill(key)
    const charged = await charge(till, 9900.68)
    assert(charged.ok)
    assert.equal(charged.value.state, 'approved')
    assert.deepEqual(await atBank(till), ['990068'])
    assert.deepEqual(await words(till, { by: 'reference', text: 'order-1001' }), ['approved'])
    assert.deepEqual(await words(till, { by: 'key', text: 'lost-1' }), key === null ? [] : ['approved'])
  })
}

test('a lost answer is taken back if whoever sent no key has hung up meanwhile', async () => {
  const { caller, ...rest } = await openHastyTill(null)
  const till = { ...rest, caller: { ...caller, isWaiting: () => false } }
  const charged = await charge(till, 9900.68)
  assert(!charged.ok && charged.refusal.known)
  till.needs.clock.advance({ minutes: 1 })
  await recoverAttempts(till.needs)
  assert.equal(await stateOf(till, charged.refusal.known.attemptId), 'reversed')
  assert.deepEqual(await atBank(till), ['990068 reversed'])
})

type Course = {
  readonly what: string
  readonly key: string | null
  readonly state: string
  readonly bank: string
  readonly told: string
}
const courses: readonly Course[] = [
  {
    what: 'stands when it was sent with a key',
    key: 'lost-2',
    state: 'approved',
    bank: '990098',
    told: 'ok',
  },
  {
    what: 'is taken back when it was sent without one',
    key: null,
    state: 'reversed',
    bank: '990098 reversed',
    told: 'charge_reversed',
  },
]
for (const { what, key, state, bank, told } of courses) {
  test(`a charge whose outcome stayed unknown ${what}`, async (t) => {
    const till = await openHastyTill(key)
    t.after(() => till.needs.bank.close())
    const charged = await charge(till, 9900.98)
    assert(!charged.ok)
    assert.equal(charged.refusal.kind, 'outcome_unknown')
    const attempt = charged.refusal.known
    assert(attempt, 'the transaction is named, so that it can be looked up')
    assert.deepEqual(await words(till, { by: 'reference', text: 'basket-7' }), ['unknown'])
    const voided = await voidSale(
      till.needs,
      { ...till.caller, callerKey: null },
      { saleId: attempt.attemptId },
    )
    assert.equal(voided.ok ? 'ok' : voided.refusal.kind, 'outcome_unknown')

    till.needs.clock.advance({ minutes: 3 })
    await recoverAttempts(till.needs)
    till.needs.clock.advance({ minutes: 1 })
    await recoverAttempts(till.needs)

    assert.equal(await stateOf(till, attempt.attemptId), state)
    assert.deepEqual(await atBank(till), [bank])
    assert.deepEqual(await words(till, { by: 'reference', text: 'basket-7' }), [state])
    const resolved = await findAttemptOf(till.needs, {
      account: till.caller.accountId,
      attempt: attempt.attemptId,
    })
    assert(resolved)
    const again = await repeatCharge(till.needs, resolved)
    assert.equal(again.ok ? 'ok' : again.refusal.kind, told)
  })
}
