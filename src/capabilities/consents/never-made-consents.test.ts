import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { removeAbandonedConsents } from '#capabilities/consents/remove-abandoned-consents.operation.ts'
import { removeAbandonedPlans } from '#capabilities/recurring/remove-abandoned-plans.operation.ts'
import { int8, nullable } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()
const ccCardInfo = { AccountNumber: '4000000000000002', ExpMonth: 12, ExpYear: 2030 }
const AcctHolder = { Firstname: 'Ann', Lastname: 'Example', BillIngAdress: { ZIP: '62701' } }
const plan = { MerchID: 1, NumPayments: 3, TotalAmount: 30, Period: 'MONTHLY' }
const payAndSave = { eSubmission: '0608' }

const newestConsentStatement = statement(
  'test_newest_consent',
  [int8],
  { consent_id: nullable(int8) },
  `select max(consent_id) as consent_id from consent where account_id = $1`,
)

const keepAsCancelledStatement = statement(
  'test_keep_as_cancelled',
  [int8],
  {},
  `update consent set state = 'cancelled' where account_id = $1 and state = 'not_made'`,
)

// No answer names a consent that was not made, so its number is read where it is kept.
async function newestConsent({ needs, account }: Till): Promise<number> {
  const [row] = await needs.db.run(newestConsentStatement, [account.accountId])
  assert(row?.consent_id)
  return Number(row.consent_id)
}

const declines: readonly (readonly [what: string, tryIt: (till: Till) => Promise<unknown>])[] = [
  [
    'a card that the issuer declined',
    (till) =>
      call(till, 'ConsentAnnual/Create_MAN', { ccCardInfo, ConsentCreator: { MerchID: 1 }, AcctHolder }),
  ],
  [
    'a plan whose card the issuer declined',
    (till) => call(till, 'ConsentRecurring/Create', { ccCardInfo, ConsentCreator: plan, AcctHolder }),
  ],
  [
    'a payment of a form that was declined',
    async (till) => press(await openForm(till, {}, payAndSave), { save: '1', number: '4000000000000002' }),
  ],
]

function callsThatName(ConsentID: number): readonly (readonly [path: string, body: object])[] {
  const receipt = { REFID: String(ConsentID), Recipient: 2 }
  return [
    ['ConsentAnnual/CalcFees', { ConsentID, Amount: 10 }],
    ['ConsentAnnual/ChargeStoredCard', { ConsentID, Amounts: { BaseAmt: 10 } }],
    ['ConsentAnnual/Modify', { ConsentID, ConsentMods: { Email: 'ann@example.com' } }],
    ['ConsentAnnual/Cancel', { ConsentID }],
    ['ConsentRecurring/Modify', { ConsentID, ConsentMods: { Email: 'ann@example.com' } }],
    ['ConsentRecurring/Cancel', { ConsentID }],
    ['Receipt/ReceiptGenerate', { ...receipt, ReceiptType: 4 }],
    ['Receipt/ReceiptGenerate', { ...receipt, ReceiptType: 5 }],
  ]
}

async function assertUnknown(till: Till, ConsentID: number): Promise<void> {
  for (const [path, body] of callsThatName(ConsentID)) {
    const told = await call(till, path, body)
    assert.equal(told.code, 6101, `${path}: ${told.text}`)
    assert.doesNotMatch(told.text, /kind|cancelled/, path)
  }
  for (const path of ['Query/ConsentAnnual', 'Query/ConsentRecurring']) {
    assert.equal((await call(till, path, { Query: `(Z=${ConsentID})` })).members['NumRecords'], 0, path)
  }
}

describe('a consent that was never made is known to no call', () => {
  for (const [what, tryIt] of declines) {
    test(`after ${what}`, async () => {
      const till = await openTill(world())
      await tryIt(till)
      await assertUnknown(till, await newestConsent(till))
    })
  }

  test('after a creation that died on the way and was given up', async () => {
    const till = await openTill(world())
    const { needs } = till
    const attempts = { add: () => Promise.reject(new Error('the process died')) }
    const body = { ccCardInfo, ConsentCreator: plan, AcctHolder }
    await assert.rejects(call({ ...till, needs: { ...needs, attempts } }, 'ConsentRecurring/Create', body))
    needs.clock.advance({ hours: 1 })
    await removeAbandonedConsents(needs)
    assert.equal(await removeAbandonedPlans(needs), 1)
    await assertUnknown(till, await newestConsent(till))
  })
})

test('one that a node of the version before has kept as cancelled is found by no search', async () => {
  const till = await openTill(world())
  await call(till, 'ConsentAnnual/Create_MAN', { ccCardInfo, ConsentCreator: { MerchID: 1 }, AcctHolder })
  await till.needs.db.run(keepAsCancelledStatement, [till.account.accountId])
  assert.equal((await call(till, 'Query/ConsentAnnual', { Query: '(A=1)' })).members['NumRecords'], 0)
})

test('a declined payment that was to save its card names no consent, and none leads to it', async () => {
  const till = await openTill(world())
  const guest = await openForm(till, {}, payAndSave)
  await press(guest, { save: '1', number: '4000000000000002' })
  const never = await newestConsent(till)
  const { members } = await call(till, 'Query/Transaction', { Query: '(B=3)' })
  const [declined] = Object(members['Transactions']) as readonly Readonly<Record<string, unknown>>[]
  assert.equal(declined?.['ConsentID'], 0)
  const byConsent = await call(till, 'Query/Transaction', { Query: `(P=${never})` })
  assert.equal(byConsent.members['NumRecords'], 0, byConsent.text)
  for (const Query of ['(P=0)', "(P='')"])
    assert.equal((await call(till, 'Query/Transaction', { Query })).members['NumRecords'], 1, Query)
  const found = await call(till, 'Operation/Lookup', { TxID: declined?.['ID'] })
  const [operation] = Object(found.members['Operations']) as readonly Readonly<Record<string, unknown>>[]
  assert.equal(operation?.['ConsentID'], 0)
})

test('an approved payment that saved its card names the consent, and is found by it', async () => {
  const till = await openTill(world())
  await press(await openForm(till, {}, payAndSave), { save: '1' })
  const made = await newestConsent(till)
  const { members } = await call(till, 'Query/Transaction', { Query: `(P=${made})` })
  const [sale] = Object(members['Transactions']) as readonly Readonly<Record<string, unknown>>[]
  assert.equal(sale?.['ConsentID'], made)
  const found = await call(till, 'Operation/Lookup', { TxID: sale?.['ID'] })
  const [operation] = Object(found.members['Operations']) as readonly Readonly<Record<string, unknown>>[]
  assert.equal(operation?.['ConsentID'], made)
})
