import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { aheadOf } from '../../../test/support/clock-ahead.ts'
import {
  chargesAt,
  findLink,
  formOf,
  makeLink,
  pressPay,
  storedMessagesOf,
} from '../../../test/support/link-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

test('while an approval is taken back the link is being paid, and open afterwards', async () => {
  const till = await openTill(world())
  const payer = await makeLink(till, { OptParam: 'VISIBLE|A060|OPTIONS|0288' })
  assert.deepEqual(await pressPay(payer, { typed: { zip: '46205' } }), { kind: 'pending' })
  assert.equal((await findLink(till, payer.url))['State'], 'PAYING')
  assert.equal((await formOf(payer)).standing, 'paying')
  till.needs.clock.advance({ minutes: 2 })
  await recoverAttempts(till.needs)
  assert.equal((await findLink(till, payer.url))['State'], 'OPEN')
  assert.deepEqual(await chargesAt(till), [])
  assert.deepEqual(await pressPay(payer), { kind: 'paid' })
})

test('a text for a link that is paid ends by real time, however far ahead its account is', async () => {
  const needs = world()
  const early = { ...needs, accountClock: aheadOf(needs.clock) }
  const till = await openTill({ ...early, ...paymentEngine(early), clock: needs.clock })
  const payer = await makeLink(till, { MessageType: 'TEXT', Person: { Phone: '3175550123' } })
  assert.deepEqual(await pressPay(payer), { kind: 'paid' })
  const messages = (await storedMessagesOf(till)).map((stored) => Object(JSON.parse(stored)))
  assert.deepEqual(
    messages.map((one) => [one.problem, Temporal.Instant.from(one.finished_at).toString()]),
    [['The link is paid', needs.clock.now().toString()]],
  )
})
