import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { chargeCard } from '#capabilities/sales/charge-card.operation.ts'
import { lookUpOperationContract } from '#capabilities/sales/look-up-operation.contract.ts'
import { lookUpOperation } from '#capabilities/sales/look-up-operation.operation.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import { voidSale } from '#capabilities/sales/void-sale.operation.ts'
import { serve } from '#capabilities/wire/contract.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { charge, makeConsent, told } from '../../../test/support/consent-world.ts'
import { makePlan, processDue } from '../../../test/support/plan-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill, type Till, withKey } from '../../../test/support/till.ts'
import { declaredStatements } from '#platform/postgres/statement.ts'

const world = useWorld()
const chargeOperation = serve(chargeCardContract, chargeCard)
const voidOperation = serve(voidSaleContract, voidSale)
const lookUp = serve(lookUpOperationContract, lookUpOperation)

type Listed = ReturnType<typeof lookUpOperationContract.toWire>['members']['Operations']

async function sell({ needs, caller }: Till, changes: object = {}): Promise<number> {
  const answer = await chargeOperation.answer(needs, caller, {
    ...chargeCardContract.example.request,
    ...changes,
  })
  assert(answer.ok)
  return (answer.reply.members as { TxID: number }).TxID
}

async function find({ needs, caller }: Till, body: object): Promise<{ text: string; found: Listed }> {
  const answer = await lookUp.answer(needs, caller, body)
  assert(answer.ok)
  return { text: answer.reply.message, found: (answer.reply.members as { Operations: Listed }).Operations }
}

test('a sale is found by the key it was sent with', async () => {
  const till = await openTill(world())
  const TxID = await sell(withKey(till, 'order-1'))
  const { text, found } = await find(till, { IdempotencyKey: 'order-1' })
  assert.equal(text, 'Found 1 operation')
  assert.deepEqual(found, [
    {
      TxID,
      ConsentID: 0,
      Kind: 'sale',
      Operation: 'CardSale/Manual',
      State: 'approved',
      RefTxID: 0,
      Amounts: { BaseAmt: 25.5, Surcharge: 0, TotalAmt: 25.5 },
      CreatedOn: '2027-01-15T10:00:00.000Z',
    },
  ])
})

for (const [verifiesCards, Kind] of [
  [true, 'verify'],
  [false, 'consent'],
] as const) {
  test(`a consent is found by the key of its creation, as ${Kind}`, async () => {
    const path = 'ConsentAnnual/Create_MAN'
    const till = withKey(await openTill(world(), { verifiesCards }), 'consent-1', path)
    const consent = await makeConsent(till.needs, till.caller)
    const { found } = await find(till, { IdempotencyKey: 'consent-1' })
    assert.deepEqual(
      found.map((one) => [one.Operation, one.Kind, one.State, one.ConsentID, one.TxID > 0]),
      [[path, Kind, 'approved', Number(consent), verifiesCards]],
    )
  })
}

test('one key that was used for two operations finds both, newest first', async () => {
  const till = await openTill(world())
  const TxID = await sell(withKey(till, 'order-2'))
  const { needs, caller } = withKey(till, 'order-2', 'CardSale/Void')
  assert((await voidOperation.answer(needs, caller, { TxID })).ok)
  const { found } = await find(till, { IdempotencyKey: 'order-2' })
  assert.deepEqual(
    found.map(({ Operation, Kind, State }) => [Operation, Kind, State]),
    [
      ['CardSale/Void', 'void', 'approved'],
      ['CardSale/Manual', 'sale', 'approved'],
    ],
  )
})

for (const [what, RefID] of [
  ['ClientRefID', 'order-1001'],
  ['RPGUID', 'basket-7'],
] as const) {
  test(`sales without a key are found by their ${what}, declines included`, async () => {
    const till = await openTill(world())
    const ccCardInfo = { AccountNumber: '4000000000000002', ExpMonth: 12, ExpYear: 30 }
    const declined = await sell(till, { ccCardInfo })
    const approved = await sell(till)
    await sell(till, { PurchItems: { ClientRefID: 'another', RPGUID: 'another' } })
    const { text, found } = await find(till, { RefID })
    assert.equal(text, 'Found 2 operations')
    assert.deepEqual(
      found.map(({ TxID, State, Operation }) => [TxID, State, Operation]),
      [
        [approved, 'approved', 'CardSale/Manual'],
        [declined, 'declined', 'CardSale/Manual'],
      ],
    )
  })
}

test('every transaction is found by its TxID, with the call that it belongs to', async () => {
  const till = await openTill(world())
  const sale = await sell(till)
  const { needs, caller } = till
  const voided = await voidOperation.answer(needs, caller, { TxID: sale })
  assert(voided.ok)
  const { VoidTxID } = voided.reply.members as { VoidTxID: number }
  const consent = await makeConsent(needs, caller)
  const charged = told(await charge(needs, caller, consent, { Amounts: 5 }))
  const plan = await makePlan(needs, caller, { NumPayments: 1 })
  const { ApprovedPayments } = (await processDue(needs, caller)).members
  const { verification } = plan.created
  for (const [id, ...expected] of [
    [sale, 'sale', 'CardSale/Manual', 0],
    [VoidTxID, 'void', 'CardSale/Void', sale],
    [charged.members.TxID, 'sale', 'ConsentAnnual/ChargeStoredCard', 0],
    [Number(verification?.attemptId), 'verify', 'ConsentRecurring/Create', 0],
    [ApprovedPayments[0]?.TxID, 'sale', 'RecurringSchedule/ProcessScheduledPayments', 0],
  ] as const) {
    const { found } = await find(till, { TxID: id })
    assert.deepEqual(
      found.map(({ Kind, Operation, RefTxID }) => [Kind, Operation, RefTxID]),
      [expected],
    )
  }
})

test('at most 100 are shown, the newest, and the answer says so', async () => {
  const till = await openTill(world())
  const ids = await Promise.all(Array.from({ length: 101 }, () => sell(till)))
  const { text, found } = await find(till, { RefID: 'order-1001' })
  assert.equal(text, 'Found more than 100 operations; these are the newest')
  const newest = ids.toSorted((left, right) => right - left).slice(0, 100)
  assert.deepEqual(
    found.map(({ TxID }) => TxID),
    newest,
  )
})

test('nothing of another account or another merchant record is found', async () => {
  const needs = world()
  const [own, other] = [await openTill(needs), await openTill(needs)]
  const TxID = await sell(withKey(own, 'order-3'))
  const bound = { ...own, caller: { ...own.caller, merchantNumber: merchantNumber(2) } }
  for (const till of [other, bound]) {
    for (const body of [{ IdempotencyKey: 'order-3' }, { RefID: 'order-1001' }]) {
      assert.deepEqual(await find(till, body), { text: 'Found 0 operations', found: [] })
    }
    const answer = await lookUp.answer(till.needs, till.caller, { TxID })
    assert.equal(answer.ok ? '' : answer.refusal.kind, 'transaction_not_found')
  }
})

test('a reference is a text, whatever marks it holds', async () => {
  const till = await openTill(world())
  for (const RefID of ["' or 1=1 --", '%', '_', '\\']) {
    await sell(till)
    assert.deepEqual((await find(till, { RefID })).found, [])
  }
})

for (const body of [{}, { IdempotencyKey: '', RefID: '' }]) {
  test(`${JSON.stringify(body)} is refused, and the members are named`, async () => {
    const { needs, caller } = await openTill(world())
    const answer = await lookUp.answer(needs, caller, body)
    assert(!answer.ok)
    assert.equal(answer.refusal.kind, 'missing_member')
    assert.match(String(answer.refusal.details['problem']), /IdempotencyKey, RefID and TxID/)
  })
}

test('a small account is not kept waiting by the attempts of a large one', async () => {
  const { connection } = world()
  const search = declaredStatements().find(({ name }) => name === 'find_operations_by_reference')
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    // As if there were too many rows to read or to sort them all.
    await client.query('set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off')
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${search?.text}`)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.match(plan, /Index Scan Backward using attempt_by_time on attempt\s.*\n\s+Index Cond: .*\$1/)
  } finally {
    await client.end()
  }
})
