import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { operations } from '#capabilities/operations.ts'
import { currencyCode } from '#kernel/currency.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { randomLetters } from '#platform/crypto/random.ts'
import { formOrder } from '../support/form-world.ts'
import { linkOrder } from '../support/link-world.ts'
import { buy, findRecords } from '../support/order-world.ts'
import { makeAccount, makeMerchant, useWorld, type World } from '../support/session-world.ts'
import { call, sell, type Till, type Told, withKey } from '../support/till.ts'
import { makeCaller } from '../support/consent-world.ts'

// What foreign-things.test.ts tries with numbers, for every member that names a thing by a text: a thing of
// another merchant record is answered like one that does not exist, whichever of the two records is bound.

type Make = (till: Till, record: number) => Promise<string>
type Case = { readonly make: Make; readonly missing: string; readonly more?: object }

const madeSale: Make = async (till, record) => String(await sell(till, 25, { record }))
const missingOrder = '5f0c9c3e-7f5c-4c1e-9a55-0d9a3c6f2b11'
const inRecord = (letter: string): Case => ({
  make: async (_, record) => `(${letter}=${record})`,
  missing: `(${letter}=77)`,
})

async function madeForm(till: Till, record: number): Promise<{ url: string; reference: string }> {
  const reference = `form-${randomLetters()}`
  const made = await call(till, 'CardSale/InitForm', formOrder({ MerchID: record, REF_ID: reference }))
  return { url: String(made.members['PaymentUrl']), reference }
}

async function madeLink(till: Till, record: number): Promise<{ url: string; reference: string }> {
  const reference = `link-${randomLetters()}`
  const made = await call(till, 'Other/SMSPay', linkOrder({ MerchID: record, RefID: reference }))
  return { url: String(made.members['PaymentUrl']), reference }
}

const madeOrder: Make = async (till, record) => (await buy(till, { record })).transactionId

const madeToken: Make = async (till, record) => {
  const { transactionId } = await buy(till, { record, saves: true })
  const records = await findRecords(till, `(F='${transactionId}')`)
  const token = records.map((one) => one['Recurring_Token']).find(Boolean)
  assert(token, 'the order has kept the card')
  return String(token)
}

const nowhere = 'https://pay.example/PayForm/PF.aspx?s=00000000000000000000000000000000'
const noLink = 'https://pay.example/sw/0000000000000000'

const cases: Readonly<Record<string, Case>> = {
  'Operation/Lookup IdempotencyKey': {
    make: async (till, record) => {
      const key = `key-${randomLetters()}`
      await sell(withKey(till, key), 25, { record })
      return key
    },
    missing: 'key-of-nothing',
  },
  'Operation/Lookup RefID': {
    make: async (till, MerchID) => {
      const ClientRefID = `sale-${randomLetters()}`
      const ccCardInfo = { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 }
      const wish = { ccCardInfo, Amounts: { BaseAmt: 25 }, PurchItems: { ClientRefID }, MerchID }
      assert.equal((await call(till, 'CardSale/Manual', wish)).code, 0)
      return ClientRefID
    },
    missing: 'sale-of-nothing',
  },
  'Receipt/ReceiptGenerate REFID': {
    make: madeSale,
    missing: '987654321',
    more: { ReceiptType: 1, Recipient: 1 },
  },
  'Intl/ReceiptGenerate REFID': {
    make: madeOrder,
    missing: missingOrder,
    more: { ReceiptType: 23, Recipient: 1 },
  },
  'Intl/ProcPayment TokenID': { make: madeToken, missing: missingOrder, more: { ChargeAmt: 5 } },
  'Intl/VoidCredit TransID': { make: madeOrder, missing: missingOrder, more: { CreditAmt: 25.5 } },
  'Form/Query PaymentUrl': { make: async (...of) => (await madeForm(...of)).url, missing: nowhere },
  'Form/Query RefID': { make: async (...of) => (await madeForm(...of)).reference, missing: 'of-nothing' },
  'Link/Query PaymentUrl': { make: async (...of) => (await madeLink(...of)).url, missing: noLink },
  'Link/Query RefID': { make: async (...of) => (await madeLink(...of)).reference, missing: 'of-nothing' },
  'Query/Transaction Query': inRecord('A'),
  'Query/ConsentAnnual Query': inRecord('A'),
  'Query/ConsentRecurring Query': inRecord('A'),
  'Query/RecurringSchedule Query': inRecord('E'),
  'Query/BatchLog Query': inRecord('A'),
  'Query/ACHTransaction Query': inRecord('A'),
  'Intl/QueryTransaction Query': inRecord('A'),
}

// Records 1 and 2 are domestic, 3 and 4 international.
async function openShops(needs: World): Promise<Till> {
  const account = await makeAccount(needs)
  await makeMerchant(needs, account)
  const currency = currencyCode('EUR') ?? assert.fail()
  for (const name of ['Corner Books Europe', 'Corner Books Asia'])
    await makeMerchant(needs, account, { name, currency, isInternational: true })
  return { needs, account, caller: await makeCaller(needs, account) }
}

const boundTo = (till: Till, record: number): Till => ({
  ...till,
  caller: { ...till.caller, merchantNumber: merchantNumber(record) },
})

// One thing of each kind, for searches by record.
async function fill(till: Till, record: number): Promise<void> {
  const card = { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 }
  if (record > 2) return void (await buy(till, { record }))
  const at = { MerchID: record }
  const consents = { ccCardInfo: card, ConsentCreator: at }
  const plan = { ...at, NumPayments: 3, TotalAmount: 30, Period: 'MONTHLY' }
  const account = { AccountNumber: '000123456789', RoutingNumber: '110000000', AccountType: 1 }
  const done: readonly Told[] = [
    await call(till, 'CardSale/Manual', { ccCardInfo: card, Amounts: { BaseAmt: 25 }, ...at }),
    await call(till, 'ConsentAnnual/Create_MAN', consents),
    await call(till, 'ConsentRecurring/Create', { ccCardInfo: card, ConsentCreator: plan }),
    await call(till, 'Settlement/ExecuteBatch_All', at),
    await call(till, 'ACH/Sale', {
      ...at,
      ChargeDetails: { ...account, Amount: 10 },
      AcctHolder: { Lastname: 'Miller' },
    }),
  ]
  for (const { code, text } of done) assert.equal(code, 0, text)
}

// The answer to one who may not know of it, with what was sent left out.
function leftOut({ code, text, members }: Told, sent: string): object {
  return { code, text: text.replace(sent, 'sent'), members }
}

const lists = (told: Told): number =>
  Object.values(told.members).reduce<number>((sum, one) => sum + (Array.isArray(one) ? one.length : 0), 0)

describe('a thing that is named by a text', () => {
  const world = useWorld()

  test('is tried for every such member of every operation', () => {
    const named = operations.flatMap(({ contract: { path, request } }) =>
      Object.entries(request.properties)
        .filter(([name, schema]) => /ID$|Url$|Key$|^Query$/.test(name) && Type.IsString(schema))
        .map(([name]) => `${path} ${name}`),
    )
    assert.deepEqual(named.toSorted(), Object.keys(cases).toSorted(), 'say in `cases` how it is made')
  })

  for (const [what, { make, missing, more }] of Object.entries(cases)) {
    const [path = '', member = ''] = what.split(' ')
    const [low, high] = path.startsWith('Intl/') ? [3, 4] : [1, 2]
    for (const [theirs, own] of [
      [low, high],
      [high, low],
    ] as const) {
      test(`${what} of record ${theirs} is unknown to a caller for record ${own}`, async () => {
        const till = await openShops(world())
        await fill(till, theirs)
        await fill(till, own)
        const [owner, stranger] = [boundTo(till, theirs), boundTo(till, own)]
        const foreign = await make(till, theirs)
        const strangers = leftOut(await call(stranger, path, { [member]: foreign, ...more }), foreign)
        assert.deepEqual(
          strangers,
          leftOut(await call(stranger, path, { [member]: missing, ...more }), missing),
        )
        const served = [
          await call(owner, path, { [member]: foreign, ...more }),
          await call(stranger, path, { [member]: await make(till, own), ...more }),
        ]
        for (const one of served) {
          assert.equal(one.code, 0, one.text)
          assert(path.startsWith('Receipt') || lists(one) > 0 || !path.includes('Query'), 'it is found')
        }
      })
    }
  }

  for (const [theirs, own] of [
    [1, 2],
    [2, 1],
  ] as const) {
    test(`what record ${theirs} has is in no list for a caller for record ${own}`, async () => {
      const till = await openShops(world())
      const [owner, stranger] = [boundTo(till, theirs), boundTo(till, own)]
      await fill(till, theirs)
      await call(owner, 'Webhook/Add', { URL: 'https://shop.example/hook' })
      for (const path of ['Event/Query', 'Webhook/List']) {
        assert(lists(await call(owner, path, {})) > 0, path)
        assert.equal(lists(await call(stranger, path, {})), 0, path)
      }
    })
  }
})
