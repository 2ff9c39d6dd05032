import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merchantNumber } from '#kernel/ids.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import {
  call,
  credit,
  openTill,
  sell,
  settleAll,
  type Till,
  useTerminal,
} from '../../../test/support/till.ts'

const world = useWorld()
type Listed = readonly Readonly<Record<string, unknown>>[]

async function find(till: Till, Query: string): Promise<Listed> {
  const told = await call(till, 'Query/BatchLog', { Query })
  assert.equal(told.code, 0, told.text)
  const found: Listed = Object(told.members['BatchLogs'])
  assert(told.text.startsWith(`Successfully Returned Batch Log Records : ${found.length}`))
  return found
}

async function idsOf(till: Till, query: string): Promise<readonly unknown[]> {
  return (await find(till, query)).map(({ ID }) => ID)
}

test('a batch is found the moment it is settled, with everything that the settlement told', async () => {
  const till = await openTill(world())
  const sale = await sell(till, 20)
  await credit(till, sale, 5)
  const { batch } = await settleAll(till)
  assert.deepEqual(await find(till, `(D=${batch['BatchLogID']})`), [
    {
      ID: batch['BatchLogID'],
      MerchID: 1,
      BatchNO: 1,
      BatchRecs: 2,
      BatchAmt: 15,
      BatchOpen: batch['BatchOpen'],
      BatchClose: batch['BatchClose'],
      Code: 'A',
      SettleResp: 'OK 001 0115 0000',
      TxLOCK: batch['TxLock'],
      CreatedOn: '2027-01-15T10:00:00.000Z',
      FinishedOn: '2027-01-15T10:00:00.000Z',
      CreatedBy: 'till',
    },
  ])
})

// Every letter of the chart, with values that hold and values that do not.
const letters: readonly [string, string][] = [
  ['(A=1)', '(A=2)'],
  ['(B=2)', '(B=1)'],
  ['(B=-1)', '(B<>-1)'],
  ["(C>='2027-01-15')", "(C<'1/15/2027')"],
  ['(D>0)', '(D=0)'],
  ['(E=1)', '(E>1)'],
]
for (const [holds, fails] of letters) {
  test(`${holds} finds a batch that ${fails} does not`, async () => {
    const till = await openTill(world())
    await sell(till, 20)
    const { batch } = await settleAll(till)
    assert.deepEqual(await idsOf(till, holds), [batch['BatchLogID']])
    assert.deepEqual(await idsOf(till, fails), [])
  })
}

test('a batch that the acquirer rejected has status 1 until it is accepted', async () => {
  const till = await openTill(world())
  await sell(till, 20)
  await useTerminal(till, 'REJECT-1')
  const { batch } = await settleAll(till)
  const [failed] = await find(till, '(B=1)')
  assert.deepEqual([failed?.['ID'], failed?.['Code'], failed?.['FinishedOn']], [batch['BatchLogID'], 'F', ''])
  await useTerminal(till, 'T1')
  await settleAll(till)
  assert.deepEqual(await idsOf(till, '(B=1)'), [])
  assert.deepEqual(await idsOf(till, '(B=2)'), [batch['BatchLogID']])
})

test('the newest come first', async () => {
  const till = await openTill(world())
  const numbers: unknown[] = []
  for (const amount of [10, 11, 12]) {
    await sell(till, amount)
    numbers.unshift((await settleAll(till)).batch['BatchLogID'])
  }
  assert.deepEqual(await idsOf(till, '(A=1)'), numbers)
})

test('nothing of another account or another merchant record is found', async () => {
  const needs = world()
  const till = await openTill(needs)
  await sell(till, 20)
  const { batch } = await settleAll(till)
  const bound = { ...till, caller: { ...till.caller, merchantNumber: merchantNumber(2) } }
  for (const stranger of [await openTill(needs), bound]) {
    for (const query of [`(D=${batch['BatchLogID']})`, '(A>0)', '(B=-1)', '(E=1)||(D>0)'])
      assert.deepEqual(await idsOf(stranger, query), [], query)
  }
})
