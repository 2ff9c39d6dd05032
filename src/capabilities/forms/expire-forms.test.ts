import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expireFormsWork } from '#capabilities/forms/expire-forms.task.ts'
import { giveMoreTime } from '#capabilities/forms/extend-form.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Crash, type CrashPoint, usualPatience } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { followers } from '#capabilities/followers.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { type Guest, look, openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()

function expire({ needs, account }: Till) {
  return runDueNow(needs, expireFormsWork, account.accountId)
}

test('a form that nobody paid in time is told of once, with the references of the merchant', async () => {
  const till = await openTill(world())
  const guest = await openForm(till)
  const { form } = await look(guest)
  till.needs.clock.advance({ minutes: 59 })
  assert.deepEqual(await expire(till), [])
  till.needs.clock.advance({ minutes: 1 })
  assert.deepEqual(await expireFormsWork.accountsDue(till.needs, till.needs.clock.now()), [
    till.account.accountId,
  ])
  const [entry, ...others] = await expire(till)
  assert.deepEqual(others, [])
  assert.deepEqual(entry, {
    at: form.expiresAt,
    what: 'form.expired',
    subject: form.formId,
    text: `Form ${form.formId} (invoice-1042) was not paid in time`,
  })
  assert.deepEqual(await expire(till), [])
  const { members } = await call(till, 'Event/Query', {})
  const [event] = members['Events'] as readonly { readonly Body: string }[]
  const { type, data } = JSON.parse(event?.Body ?? '')
  assert.deepEqual(
    [type, data.id, data.amount, data.clientRef],
    ['form.expired', Number(form.formId), '125.00', 'invoice-1042'],
  )
})

test('its page says that it is over, as it did before it was told of', async () => {
  const till = await openTill(world())
  const guest = await openForm(till)
  till.needs.clock.advance({ hours: 1 })
  assert.equal((await look(guest)).standing, 'expired')
  await expire(till)
  assert.equal((await look(guest)).standing, 'expired')
  assert.equal((await press(guest)).kind, 'stale')
})

test('neither a paid form nor one with more time is told of', async () => {
  const till = await openTill(world())
  const [paid, extended] = [await openForm(till), await openForm(till)]
  await press(paid)
  await giveMoreTime(till.needs, await look(extended))
  till.needs.clock.advance({ minutes: 61 })
  assert.deepEqual(await expire(till), [])
  till.needs.clock.advance({ minutes: 30 })
  assert.equal((await expire(till)).length, 1)
})

test('a form with too many tries is told of when its time is over', async () => {
  const needs = { ...world(), hasFormLimits: true }
  const till = { ...(await openTill(needs)), needs }
  const guest = await openForm(till)
  for (const number of ['4000000000000002', '4000000000009995', '4000000000009987', '4000000000000069'])
    await press(guest, { number })
  needs.clock.advance({ hours: 1 })
  assert.equal((await expire(till)).length, 1)
})

async function dieWhilePaying(guest: Guest, point: CrashPoint): Promise<void> {
  const { needs } = guest.till
  const crashpoint = (reached: CrashPoint) => {
    if (reached === point) throw new Crash()
  }
  const engine = paymentEngine({ ...needs, followers, patience: usualPatience, crashpoint })
  const mortal = { ...needs, ...engine, clock: needs.clock }
  await assert.rejects(press({ ...guest, till: { ...guest.till, needs: mortal } }), Crash)
}

for (const [point, told] of [
  ['after_t1', 1],
  ['after_send', 0],
] as const) {
  const outcome = told === 1 ? 'came to nothing' : 'came through'
  test(`a payment that is under way keeps its form, also past its time, until it ${outcome}`, async () => {
    const till = await openTill(world())
    await dieWhilePaying(await openForm(till), point)
    till.needs.clock.advance({ hours: 2 })
    assert.deepEqual(await expire(till), [])
    for (let round = 0; round < 5; round++) {
      till.needs.clock.advance({ minutes: 2 })
      await recoverAttempts(till.needs)
    }
    assert.equal((await expire(till)).length, told)
  })
}

test('the time machine stops at each expiry', async () => {
  const till = await openTill(world())
  const { form } = await look(await openForm(till))
  const { accountId } = till.account
  const after = till.needs.clock.now()
  const span = { accountId, after, until: after.add({ hours: 24 }) }
  assert.deepEqual(await expireFormsWork.nextDue(till.needs, span), form.expiresAt)
  assert.equal(await expireFormsWork.nextDue(till.needs, { ...span, until: after.add({ minutes: 5 }) }), null)
})
