import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeLimits, showLimits } from '#capabilities/messages/change-limits.operation.ts'
import { queueMessage } from '#capabilities/messages/queue-message.operation.ts'
import type { Queued } from '#capabilities/messages/queue-message.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { mustQueue, newMail, newText, openDesk, queue } from '../../../test/support/message-world.ts'
import { makeAccount, makeMerchant, useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

describe('what an account may send', () => {
  test('a fourth text to the same phone within an hour is refused, and an hour later it is not', async () => {
    const desk = await openDesk(world())
    for (let sent = 0; sent < 3; sent += 1) await mustQueue(desk, newText(desk))
    const refused = await queue(desk, newText(desk))
    assert.deepEqual(refusalOf(refused), ['too_many_to_recipient', '+12125550123', 3, 'an hour'])
    await mustQueue(desk, newText(desk, { recipient: '+12125550124' }))
    desk.needs.clock.advance({ minutes: 61 })
    await mustQueue(desk, newText(desk))
  })

  test('an eleventh message to the same recipient within a day is refused', async () => {
    const desk = await openDesk(world())
    for (let sent = 0; sent < 10; sent += 1) {
      await mustQueue(desk, newMail(desk))
      desk.needs.clock.advance({ minutes: 31 })
    }
    const refused = await queue(desk, newMail(desk))
    assert.deepEqual(refusalOf(refused), ['too_many_to_recipient', 'ada@example.com', 10, 'a day'])
  })

  test('a mailbox is the same one in capitals and in small letters', async () => {
    const desk = await openDesk(world())
    for (const recipient of ['Ada@example.com', 'ADA@example.com', 'ada@example.com'])
      await mustQueue(desk, newMail(desk, { recipient }))
    const refused = await queue(desk, newMail(desk, { recipient: 'aDa@example.com' }))
    assert.deepEqual(refusalOf(refused), ['too_many_to_recipient', 'aDa@example.com', 3, 'an hour'])
  })

  test('a phone is protected from many accounts that text it', async () => {
    const first = await openDesk(world())
    const desks = [first]
    while (desks.length < 5) desks.push({ ...first, account: await makeAccount(first.needs) })
    const refusals: Queued[] = []
    for (const desk of desks)
      for (let sent = 0; sent < 3; sent += 1) refusals.push(await queue(desk, newText(desk)))
    assert.equal(refusals.filter(({ ok }) => ok).length, 12)
    const last = refusals.at(-1)
    assert(last)
    assert.deepEqual(refusalOf(last), ['too_many_to_recipient', '+12125550123', 12, 'an hour'])
  })

  test('of messages that are queued at once no more than the limit get through', async () => {
    const desk = await openDesk(world())
    const all = await Promise.all(Array.from({ length: 8 }, () => queue(desk, newText(desk))))
    assert.equal(all.filter(({ ok }) => ok).length, 3)
  })

  test('an account sends at most 200 messages an hour, and receipts are not counted among them', async () => {
    const desk = await openDesk(world())
    await desk.needs.db.inTransaction(async (tx) => {
      for (let sent = 0; sent < 200; sent += 1)
        assert((await queueMessage(tx, newText(desk, { recipient: phone(sent) }))).ok)
    })
    const refused = await queue(desk, newText(desk, { recipient: phone(200) }))
    assert.deepEqual(refusalOf(refused).slice(0, 1), ['too_many_messages'])
    await mustQueue(desk, newMail(desk, { purpose: 'receipt' }))
  })

  test('a payer gets a receipt for every payment, within reason', async () => {
    const desk = await openDesk(world())
    for (let sent = 0; sent < 30; sent += 1) await mustQueue(desk, newMail(desk, { purpose: 'receipt' }))
    assert(!(await queue(desk, newMail(desk, { purpose: 'receipt' }))).ok)
  })

  test('texts go to the country of the record, the United States and Canada, and nowhere else', async () => {
    const desk = await openDesk(world())
    await makeMerchant(desk.needs, desk.account, { region: 'DE-BE' })
    const refused = await queue(desk, newText(desk, { recipient: '+18765550123' }))
    assert(!refused.ok)
    assert.equal(refused.refusal.kind, 'country_not_allowed')
    assert.deepEqual(refused.refusal.details, { country: 'JM', allowed: 'US, CA' })
    await mustQueue(desk, newText(desk, { recipient: '+14165550123' }))
    const german = { recipient: '+4930901820' }
    assert(!(await queue(desk, newText(desk, german))).ok)
    await mustQueue(desk, newText(desk, { ...german, merchantNumber: merchantNumber(2) }))
  })

  test('an operator changes what an account may send, and to which countries', async () => {
    const desk = await openDesk(world())
    const { needs, account } = desk
    const changed = await changeLimits(needs, account.accountId, { perRecipientHour: 1, countries: ['JM'] })
    assert(changed.ok)
    assert.deepEqual([changed.value.perRecipientHour, changed.value.perRecipientDay], [1, 10])
    await mustQueue(desk, newText(desk, { recipient: '+18765550123' }))
    assert(!(await queue(desk, newText(desk, { recipient: '+18765550123' }))).ok)
    assert(!(await queue(desk, newText(desk))).ok)
    for (const odd of [{ countries: ['XX'] }, { perHour: -1 }, { perDay: 1.5 }])
      assert(!(await changeLimits(needs, account.accountId, odd)).ok)
    assert.deepEqual(await showLimits(needs, account.accountId), changed.value)
  })

  test('a message is gone with the transaction that wrote it', async () => {
    const desk = await openDesk(world())
    for (let tries = 0; tries < 5; tries += 1)
      await assert.rejects(
        desk.needs.db.inTransaction(async (tx) => {
          await queueMessage(tx, newText(desk))
          throw new Error('undone')
        }),
        /undone/,
      )
    await mustQueue(desk, newText(desk))
  })
})

function phone(number: number): string {
  return `+1212556${String(1_000 + number)}`
}

function refusalOf(queued: Queued): readonly unknown[] {
  if (queued.ok) return []
  const { kind, details } = queued.refusal
  return [kind, details['recipient'], details['limit'], details['span']]
}
