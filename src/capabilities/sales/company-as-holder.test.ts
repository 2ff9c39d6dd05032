import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, type Till, type Told } from '../../../test/support/till.ts'

const world = useWorld()

const AcctHolder = { Company: 'ACME Ltd', BillIngAdress: { ZIP: '62701' } }
const ccCardInfo = { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 }

async function ask(till: Till, path: string, body: object): Promise<Told> {
  const told = await call(till, path, body)
  assert.equal(told.code, 0, told.text)
  return told
}

// The only record that a search finds.
async function found(till: Till, what: string, list: string): Promise<Readonly<Record<string, unknown>>> {
  const { members } = await ask(till, `Query/${what}`, { Query: `(D LIKE 'ACME%')` })
  const records = members[list]
  assert(Array.isArray(records) && records.length === 1, `${what}: ${JSON.stringify(members)}`)
  return Object(records[0])
}

async function receiptOf(till: Till, REFID: unknown, ReceiptType: number): Promise<string> {
  const receipt = { REFID: String(REFID), ReceiptType, Recipient: 2 }
  return String((await ask(till, 'Receipt/ReceiptGenerate', receipt)).members['ReceiptHtml'])
}

const cardholder = /<dt>Cardholder<\/dt>\s*<dd>ACME Ltd<\/dd>/

describe('a company that gives no other name is found by its own', () => {
  test('when its card is charged', async () => {
    const till = await openTill(world())
    const sale = { ccCardInfo, AcctHolder, Amounts: { BaseAmt: 10 }, MerchID: 1 }
    const { members } = await ask(till, 'CardSale/Manual', sale)
    assert.equal((await found(till, 'Transaction', 'Transactions'))['ACCT_LAST_NAME'], 'ACME Ltd')
    assert.match(await receiptOf(till, members['TxID'], 1), cardholder)
  })

  test('when its card is kept', async () => {
    const till = await openTill(world(), { verifiesCards: false })
    const order = { ccCardInfo, AcctHolder, ConsentCreator: { MerchID: 1 } }
    const { members } = await ask(till, 'ConsentAnnual/Create_MAN', order)
    assert.equal((await found(till, 'ConsentAnnual', 'Consents'))['AcctHolderLastName'], 'ACME Ltd')
    assert.match(await receiptOf(till, members['ConsentID'], 4), cardholder)
    const charge = { ConsentID: members['ConsentID'], Amounts: { BaseAmt: 1 } }
    await ask(till, 'ConsentAnnual/ChargeStoredCard', charge)
    assert.equal((await found(till, 'Transaction', 'Transactions'))['ACCT_LAST_NAME'], 'ACME Ltd')
  })

  test('when it pays by a plan', async () => {
    const till = await openTill(world(), { verifiesCards: false })
    const ConsentCreator = { MerchID: 1, NumPayments: 1, TotalAmount: 30, Period: 'MONTHLY' }
    await ask(till, 'ConsentRecurring/Create', { ccCardInfo, AcctHolder, ConsentCreator })
    assert.equal((await found(till, 'RecurringSchedule', 'Schedule'))['LastName'], 'ACME Ltd')
    const run = await ask(till, 'RecurringSchedule/ProcessScheduledPayments', { MerchID: 1 })
    const [paid] = Object(run.members['ApprovedPayments'])
    assert.equal(Object(paid)['CardHolder'], 'ACME Ltd')
  })

  test('but by the name of its holder when that is given, too', async () => {
    const till = await openTill(world())
    const holder = { ...AcctHolder, Firstname: 'Ann', Lastname: 'Miller' }
    const sale = { ccCardInfo, AcctHolder: holder, Amounts: { BaseAmt: 10 }, MerchID: 1 }
    await ask(till, 'CardSale/Manual', sale)
    const { members } = await ask(till, 'Query/Transaction', { Query: `(D LIKE 'ACME%')` })
    assert.equal(members['NumRecords'], 0)
  })
})
