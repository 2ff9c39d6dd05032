import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeDayWork } from '#capabilities/settlement/close-day.task.ts'
import { planSettlement } from '#capabilities/settlement/plan-settlement.operation.ts'
import { nextCutOff } from '#capabilities/settlement/settlement-plan.ts'
import { forecastBatches, listBatches } from '#capabilities/settlement/show-batches.operation.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { printMoney } from '#kernel/money.ts'
import { impatient } from '../../../test/support/consent-world.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, sell, type Till, useTerminal } from '../../../test/support/till.ts'

const world = useWorld()

async function runDue({ needs, account }: Till): Promise<readonly string[]> {
  const diary = await runDueNow(needs, closeDayWork, account.accountId)
  return diary.map(({ at, text }) => `${at} ${text}`)
}

async function isDue({ needs, account }: Till): Promise<boolean> {
  return (await closeDayWork.accountsDue(needs, needs.clock.now())).includes(account.accountId)
}

const cutOffs: readonly (readonly [string, string, string, string])[] = [
  ['America/New_York', '23:30', '2027-01-15T10:00Z', '2027-01-16T04:30:00Z'],
  ['America/New_York', '23:30', '2027-01-16T04:30Z', '2027-01-17T04:30:00Z'],
  // The night that has no 02:30: an hour later.
  ['America/New_York', '02:30', '2027-03-14T05:00Z', '2027-03-14T07:30:00Z'],
  // The night that has two: the first.
  ['America/New_York', '01:30', '2027-11-07T04:00Z', '2027-11-07T05:30:00Z'],
  // The day that ends at 23:00: an hour later, when it is Sunday already.
  ['America/Nuuk', '23:30', '2027-03-27T20:00Z', '2027-03-28T01:30:00Z'],
  ['America/Nuuk', '23:30', '2027-03-28T01:10Z', '2027-03-28T01:30:00Z'],
  ['America/Nuuk', '23:30', '2027-03-28T01:30Z', '2027-03-29T00:30:00Z'],
  // The night that is half an hour shorter.
  ['Australia/Lord_Howe', '02:15', '2027-10-02T12:00Z', '2027-10-02T15:45:00Z'],
  ['Pacific/Auckland', '00:00', '2027-01-15T10:59Z', '2027-01-15T11:00:00Z'],
]

for (const [timeZone, closesAt, after, expected] of cutOffs) {
  test(`after ${after} a record in ${timeZone} closes at ${closesAt} there: ${expected}`, () => {
    assert.equal(nextCutOff({ closesAt, timeZone }, Temporal.Instant.from(after)).toString(), expected)
  })
}

test('a record closes by itself at half past eleven in its own zone', async () => {
  const till = await openTill(world())
  assert(await isDue(till), 'a new record is looked at once')
  assert.deepEqual(await runDue(till), [])
  assert(!(await isDue(till)))
  await sell(till, 25)
  till.needs.clock.advance({ hours: 18, minutes: 29 })
  assert.deepEqual(await runDue(till), [])
  till.needs.clock.advance({ minutes: 1 })
  assert(await isDue(till))
  const told = '2027-01-16T04:30:00Z Batch 1 of merchant record 1 accepted: 1 transaction, 25.00 USD'
  assert.deepEqual(await runDue(till), [told])
  assert.deepEqual(await runDue(till), [], 'once a day')
  assert(!(await isDue(till)))
})

test('a record that nobody has looked at closes at its first cut-off too', async () => {
  const till = await openTill(world())
  await sell(till, 25)
  till.needs.clock.advance({ hours: 18, minutes: 30 })
  assert.match((await runDue(till)).join(), /Batch 1 of merchant record 1 accepted/)
})

test('days that were missed are caught up once', async () => {
  const till = await openTill(world())
  await runDue(till)
  await sell(till, 25)
  till.needs.clock.advance({ hours: 24 * 5 })
  assert.equal((await runDue(till)).length, 1)
  assert.deepEqual(await runDue(till), [])
})

test('what is sold after the days that were missed waits for its own cut-off', async () => {
  const till = await openTill(world())
  await runDue(till)
  till.needs.clock.advance({ hours: 24 * 5 })
  await sell(till, 25)
  assert.deepEqual(await runDue(till), [])
  till.needs.clock.advance({ hours: 18, minutes: 30 })
  const told = '2027-01-21T04:30:00Z Batch 1 of merchant record 1 accepted: 1 transaction, 25.00 USD'
  assert.deepEqual(await runDue(till), [told])
})

test('a day without sales closes without a batch', async () => {
  const till = await openTill(world())
  await runDue(till)
  till.needs.clock.advance({ hours: 24 })
  assert.deepEqual(await runDue(till), [])
  const asked = { account: till.account.accountId, merchant: null, most: 10 }
  assert.deepEqual(await listBatches(till.needs, asked), [])
})

test('the next cut-off is told, and none for a record that closes by hand', async () => {
  const till = await openTill(world())
  const { accountId } = till.account
  const after = till.needs.clock.now()
  const next = (hours: number) => {
    return closeDayWork.nextDue(till.needs, { accountId, after, until: after.add({ hours }) })
  }
  assert.equal(await next(24), null, 'nothing waits for it')
  await sell(till, 25)
  assert.equal(String(await next(24)), '2027-01-16T04:30:00Z')
  assert.equal(await next(18), null)
  const plan = { isAutomatic: false, closesAt: '23:30' }
  const record = { accountId, merchantNumber: merchantNumber(1) }
  assert((await planSettlement(till.needs, { ...record, plan })).ok)
  assert.equal(await next(24), null)
  till.needs.clock.advance({ hours: 48 })
  assert(!(await isDue(till)))
  assert(!(await planSettlement(till.needs, { ...record, plan: { ...plan, closesAt: '24:00' } })).ok)
})

test('a rejected day is tried again at the next cut-off, as the same batch', async () => {
  const till = await openTill(world())
  await runDue(till)
  await sell(till, 25)
  const change = async (terminalId: string) => {
    const wish = { account: till.account.accountId, merchant: merchantNumber(1), changes: { terminalId } }
    assert((await changeMerchant(till.needs, wish)).ok)
  }
  await change('REJECT')
  till.needs.clock.advance({ hours: 24 })
  assert.match((await runDue(till)).join(), /Batch 1 of merchant record 1 rejected/)
  await change('T1')
  till.needs.clock.advance({ hours: 24 })
  assert.match((await runDue(till)).join(), /Batch 1 of merchant record 1 accepted/)
})

test('a close whose outcome is not known is looked at again in the next round', async () => {
  const patient = await openTill(world())
  const till = { ...patient, needs: impatient(patient.needs) }
  await runDue(till)
  await sell(till, 25)
  till.needs.bank.faults.add({ verb: 'settle', times: 1, delivery: { losesAnswer: true } })
  till.needs.clock.advance({ hours: 24 })
  assert.deepEqual(await runDue(till), [])
  assert(await isDue(till))
  assert.match((await runDue(till)).join(), /Batch 1 of merchant record 1 accepted/)
})

test('the forecast says when a record closes and what it would settle', async () => {
  const till = await openTill(world())
  await sell(till, 25)
  await sell(till, 17)
  const [forecast] = await forecastBatches(till.needs, till.account.accountId)
  assert(forecast)
  assert.deepEqual(
    [String(forecast.closesAt), forecast.count, printMoney(forecast.net), forecast.unfinished],
    ['2027-01-16T04:30:00Z', 2, '42.00', null],
  )
})

test('what was sold since a batch was rejected is closed as soon as that one is accepted', async () => {
  const till = await openTill(world())
  await runDue(till)
  await useTerminal(till, 'REJECT-1')
  await sell(till, 25)
  till.needs.clock.advance({ hours: 18, minutes: 30 })
  assert.match((await runDue(till)).join(), /Batch 1 of merchant record 1 rejected/)
  await useTerminal(till, 'T1')
  await sell(till, 30)
  till.needs.clock.advance({ hours: 24 })
  const told = '2027-01-17T04:30:00Z Batch'
  assert.deepEqual(await runDue(till), [
    `${told} 1 of merchant record 1 accepted: 1 transaction, 25.00 USD`,
    `${told} 2 of merchant record 1 accepted: 1 transaction, 30.00 USD`,
  ])
})
