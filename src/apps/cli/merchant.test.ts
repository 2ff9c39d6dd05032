import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merchantCommands } from '#apps/cli/merchant.ts'
import { closeDayWork } from '#capabilities/settlement/close-day.task.ts'
import { forecastBatches } from '#capabilities/settlement/show-batches.operation.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { say } from '../../../test/support/say-command.ts'
import { advanceTo } from '../../../test/support/plan-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, sell } from '../../../test/support/till.ts'

const world = useWorld()

// It is five in the morning in New York; 23:30 there is 04:30 of the next day in Greenwich.
const moves: readonly (readonly [zone: string, closesAt: string])[] = [
  ['Asia/Tokyo', '2027-01-15T14:30:00Z'],
  ['Pacific/Pago_Pago', '2027-01-15T10:30:00Z'],
  ['America/Los_Angeles', '2027-01-16T07:30:00Z'],
]

for (const [zone, closesAt] of moves) {
  test(`a record that moves to ${zone} closes at half past eleven there from then on`, async () => {
    const till = await openTill(world())
    const { accountId, accountCode: account } = till.account
    const close = async () => (await runDueNow(till.needs, closeDayWork, accountId)).map(({ what }) => what)
    const isDue = async () => {
      return (await closeDayWork.accountsDue(till.needs, till.needs.clock.now())).includes(accountId)
    }
    await close()
    await say(merchantCommands['set'], { needs: till.needs, subject: '1', texts: { account, zone } })
    await sell(till, 25)
    const [forecast] = await forecastBatches(till.needs, accountId)
    assert.equal(String(forecast?.closesAt), closesAt)
    advanceTo(till.needs, String(Temporal.Instant.from(closesAt).subtract({ minutes: 1 })))
    assert.deepEqual(await close(), [])
    till.needs.clock.advance({ minutes: 1 })
    assert(await isDue())
    assert.deepEqual(await close(), ['batch.closed'])
  })
}

test('a record whose move is cut off right behind it closes at half past eleven where it is', async () => {
  const till = await openTill(world())
  const { accountId, accountCode: account } = till.account
  const { db } = till.needs
  await runDueNow(till.needs, closeDayWork, accountId)
  let isDead = false
  const dying: typeof db = {
    ...db,
    run: async (statement, values) => {
      assert(!isDead, 'the command is dead')
      const rows = await db.run(statement, values)
      isDead = statement.name === 'change_merchant'
      return rows
    },
  }
  const texts = { account, zone: 'Asia/Tokyo' }
  await say(merchantCommands['set'], { needs: { ...till.needs, db: dying }, subject: '1', texts }).catch(
    String,
  )
  assert(isDead, 'the record has moved')
  await sell(till, 25)
  advanceTo(till.needs, '2027-01-15T14:30:00Z')
  const closed = await runDueNow(till.needs, closeDayWork, accountId)
  assert.deepEqual(
    closed.map(({ what }) => what),
    ['batch.closed'],
  )
})

test('a record that moves as it becomes a domestic one closes at half past eleven where it is', async () => {
  const { needs, account } = await openTill(world())
  const { accountId, accountCode } = account
  const set = (zone: string, isInternational: boolean) =>
    say(merchantCommands['set'], {
      needs,
      subject: '1',
      texts: { account: accountCode, zone },
      flags: { international: isInternational },
    })
  await runDueNow(needs, closeDayWork, accountId)
  await set('America/New_York', true)
  await set('Asia/Tokyo', false)
  const accountsDue = (at: string) => closeDayWork.accountsDue(needs, Temporal.Instant.from(at))
  assert.deepEqual(await accountsDue('2027-01-15T14:29:00Z'), [])
  assert.deepEqual(await accountsDue('2027-01-15T14:30:00Z'), [accountId])
})
