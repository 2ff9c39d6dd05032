import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tellEndingConsentsWork } from '#capabilities/consents/tell-ending-consents.task.ts'
import { makeConsent } from '../../../test/support/consent-world.ts'
import { runDueAt, runDueNow } from '../../../test/support/due-work.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()

function tell({ needs, account }: Till) {
  return runDueNow(needs, tellEndingConsentsWork, account.accountId)
}

async function openEnding(NumDays: number) {
  const till = await openTill(world())
  const consent = await makeConsent(till.needs, till.caller, { creator: { NumDays } })
  return { till, consent }
}

async function typesOf(till: Till): Promise<readonly string[]> {
  const { members } = await call(till, 'Event/Query', {})
  const events = members['Events'] as readonly { readonly Body: string }[]
  return events.map(({ Body }) => JSON.parse(Body).type)
}

test('thirty days before a consent ends its merchant is told so, once', async () => {
  const { till, consent } = await openEnding(90)
  const today = till.needs.clock.now()
  const span = { accountId: till.account.accountId, after: today, until: today.add({ hours: 24 * 100 }) }
  const due = await tellEndingConsentsWork.nextDue(till.needs, span)
  assert(due, 'the time machine stops at it')
  till.needs.clock.advance({
    seconds: Math.ceil((due.epochMilliseconds - today.epochMilliseconds) / 1_000) - 60,
  })
  assert.deepEqual(await tell(till), [])
  till.needs.clock.advance({ minutes: 2 })
  assert.deepEqual(await tellEndingConsentsWork.accountsDue(till.needs, till.needs.clock.now()), [
    till.account.accountId,
  ])
  const [entry, ...others] = await tell(till)
  // As texts: to deepEqual all moments are the same.
  assert.deepEqual(
    [entry?.what, entry?.subject, String(entry?.at), others],
    ['consent.expiring', consent, String(due), []],
  )
  assert.deepEqual(await tell(till), [])
  assert.deepEqual(await typesOf(till), ['consent.created', 'consent.expiring'])
})

// PostgreSQL knows CET as a zone without summer time.
for (const timeZone of ['CET', 'Europe/Berlin', 'America/Santiago']) {
  test(`in summer, too, a merchant in ${timeZone} is told as soon as the day begins there`, async () => {
    const till = await openTill(world())
    const { accountId } = till.account
    await makeMerchant(till.needs, till.account, { timeZone })
    await makeConsent(till.needs, till.caller, { creator: { MerchID: 2, NumDays: 180 } })
    const after = till.needs.clock.now()
    const span = { accountId, after, until: after.add({ hours: 24 * 180 }) }
    const due = await tellEndingConsentsWork.nextDue(till.needs, span)
    assert(due)
    const begins = Temporal.PlainDate.from('2027-06-14').toZonedDateTime(timeZone).toInstant()
    assert.equal(String(due), String(begins))
    const tellAt = (at: Temporal.Instant) => runDueAt(till.needs, tellEndingConsentsWork, { accountId, at })
    assert.deepEqual(await tellAt(due.subtract({ seconds: 1 })), [])
    assert.equal((await tellAt(due)).length, 1)
  })
}

test('a consent that is made for less is told of at once, and not by a day before it was made', async () => {
  const { till } = await openEnding(20)
  const madeAt = till.needs.clock.now()
  till.needs.clock.advance({ minutes: 2 })
  const [entry] = await tell(till)
  assert.equal(String(entry?.at), String(madeAt))
})

test('a consent whose end is moved is told of again before its new end', async () => {
  const { till, consent } = await openEnding(20)
  assert.equal((await tell(till)).length, 1)
  await call(till, 'ConsentAnnual/Modify', { ConsentID: Number(consent), ConsentMods: { NumDays: 90 } })
  assert.deepEqual(await tell(till), [])
  till.needs.clock.advance({ hours: 24 * 61 })
  assert.equal((await tell(till)).length, 1)
})

test('neither a cancelled consent nor one that is over is told of', async () => {
  const { till, consent } = await openEnding(90)
  await call(till, 'ConsentAnnual/Cancel', { ConsentID: Number(consent) })
  till.needs.clock.advance({ hours: 24 * 75 })
  assert.deepEqual(await tell(till), [])
  const over = await openEnding(40)
  over.till.needs.clock.advance({ hours: 24 * 41 })
  assert.deepEqual(await tell(over.till), [])
})
