import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expireLinksWork } from '#capabilities/links/expire-links.task.ts'
import type { DiaryEntry } from '#engine/account-clock/due-work.ts'
import { findLink, makeLink, pressPay } from '../../../test/support/link-world.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { eventsOf, openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()

async function run({ needs, account: { accountId } }: Till, at: Temporal.Instant) {
  const diary: DiaryEntry[] = []
  const tell = async (entries: readonly DiaryEntry[]) => void diary.push(...entries)
  await expireLinksWork.runDue(needs, { accountId, at, signal: new AbortController().signal, tell })
  return diary.map(({ what, text }) => [what, text.replace(/\d+/, 'n')])
}

test('a link that nobody paid in time is told to have expired, once', async () => {
  const till = await openTill(world())
  const { url } = await makeLink(till)
  const paid = await makeLink(till)
  await pressPay(paid)
  const { accountId } = till.account
  const now = till.needs.clock.now()
  const end = now.add({ hours: 24 * 30 })
  assert.deepEqual(await expireLinksWork.nextDue(till.needs, { accountId, after: now, until: end }), end)
  assert.deepEqual(await run(till, now), [])
  till.needs.clock.advance({ hours: 24 * 30 })
  assert((await expireLinksWork.accountsDue(till.needs, end)).includes(accountId))
  assert.deepEqual(await run(till, end), [
    ['link.expired', 'Link n of 125.00 USD expired: nobody has paid it'],
  ])
  assert.deepEqual(await run(till, end), [])
  assert.deepEqual((await eventsOf(till)).filter((type) => type === 'link.expired').length, 1)
  assert.equal((await findLink(till, url))['State'], 'EXPIRED')
  assert.equal((await findLink(till, paid.url))['State'], 'PAID')
})

const lastDays: readonly (readonly [zone: string, day: string, expiresOn: string, why: string])[] = [
  ['America/New_York', '2027-01-31', '2027-02-01T04:59:59.000Z', 'a day like any other'],
  ['America/Santiago', '4/3/2027', '2027-04-04T03:59:59.000Z', 'its last hour comes twice'],
  ['America/Nuuk', '2027-03-27', '2027-03-28T00:59:59.000Z', 'it ends at 23:00'],
  ['Africa/Cairo', '2027-04-29', '2027-04-29T21:59:59.000Z', 'the next one has no midnight'],
]

for (const [timeZone, day, expiresOn, why] of lastDays) {
  test(`a link of ${timeZone} that is good until ${day} is good until that day is over: ${why}`, async () => {
    const till = await openTill(world())
    await makeMerchant(till.needs, till.account, { timeZone })
    const { url } = await makeLink(till, { MerchID: 2, ExpiresOn: day })
    assert.equal((await findLink(till, url))['ExpiresOn'], expiresOn)
  })
}
