import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mailReceipts } from '#capabilities/messages/mail-receipts.operation.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { removeOldRequests } from '#engine/receipt-requests/request-receipt.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { text } from '#platform/postgres/column-type.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'
import { statement } from '#platform/postgres/statement.ts'
import { impatient } from '../../../test/support/consent-world.ts'
import { formOrder, goodCard, openForm, press } from '../../../test/support/form-world.ts'
import {
  lastingState,
  messagesOf,
  openDesk,
  passingStates,
  refusingMessages,
} from '../../../test/support/message-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { call, credit, openTill, type Till, undo, withKey } from '../../../test/support/till.ts'

const world = useWorld()

const requestsStatement = statement(
  'test_receipt_requests',
  [],
  { state: text },
  'select state from receipt_request order by created_at, acquirer_ref',
)
const forgetStatement = statement('test_forget_receipt_requests', [], {}, 'delete from receipt_request')

async function setMails({ needs, account }: Till, mailsReceipts: boolean): Promise<void> {
  const merchant = merchantNumber(1)
  const wish = { account: account.accountId, merchant, changes: { mailsReceipts } }
  assert.ok((await changeMerchant(needs, wish)).ok)
}

// A till whose record mails receipts. What other tests left is gone.
async function openMailingTill(needs: World): Promise<Till> {
  await openDesk(needs)
  await needs.db.run(forgetStatement, [])
  const till = await openTill(needs)
  await setMails(till, true)
  return till
}

type Phone = { readonly amount?: number; readonly card?: string; readonly people?: object }

// A payment by phone, typed into the merchant's own program.
async function takeByPhone(till: Till, { amount = 25.5, card, people }: Phone = {}): Promise<number> {
  const told = await call(till, 'CardSale/Manual', {
    ccCardInfo: { AccountNumber: card ?? '4242424242424242', ExpMonth: 12, ExpYear: 2030 },
    Amounts: { BaseAmt: amount },
    MerchID: 1,
    ...(people ?? { EndCustomer: { Email: 'ada@example.com' } }),
  })
  return Number(told.members['TxID'])
}

async function storeCard(till: Till): Promise<number> {
  const told = await call(till, 'ConsentAnnual/Create_MAN', {
    ccCardInfo: { AccountNumber: '4242424242424242', ExpMonth: 12, ExpYear: 2030 },
    ConsentCreator: { MerchID: 1 },
    AcctHolder: { Firstname: 'Cora', Lastname: 'Example', Email: 'cora@example.com' },
  })
  return Number(told.members['ConsentID'])
}

const statesOf = async ({ needs }: Till) =>
  (await needs.db.run(requestsStatement, [])).map(({ state }) => state)

async function mailed(till: Till): Promise<readonly string[]> {
  await mailReceipts(till.needs)
  return (await messagesOf(till))
    .toSorted((one, other) => Number(one.messageId - other.messageId))
    .map(({ recipient, text: letter }) => {
      const [, title = '', transaction = ''] =
        /^(\w+ \w+: \S+)[^]*^Transaction ID: (\d+)$/m.exec(letter) ?? []
      return `${recipient}: ${title}, ${transaction}`
    })
}

describe('a merchant record that does not ask for receipts', () => {
  test('has none mailed, and nothing is written for it', async () => {
    const till = await openMailingTill(world())
    await setMails(till, false)
    const sale = await takeByPhone(till)
    await credit(till, sale, 5)
    assert.deepEqual([await statesOf(till), await mailed(till)], [[], []])
  })
})

describe('a merchant record that asks for receipts', () => {
  test('has the receipt of a payment by phone mailed, once', async () => {
    const till = withKey(await openMailingTill(world()), 'k-1')
    const sale = await takeByPhone(till)
    assert.deepEqual(await statesOf(till), ['due'], 'due with its outcome')
    assert.deepEqual(await mailed(till), [`ada@example.com: Sale approved: $25.50, ${sale}`])
    assert.deepEqual([(await mailed(till)).length, await statesOf(till)], [1, ['done']])
    const [letter] = await messagesOf(till)
    assert.match(letter?.text ?? '', /^Card type: Visa ending 4242$/m)
    assert.match(letter?.text ?? '', /because Corner Books mails a receipt for every payment\./)
  })

  const people: readonly (readonly [object, readonly string[]])[] = [
    [{ AcctHolder: { Email: 'ann@example.com' } }, ['ann@example.com']],
    [
      { AcctHolder: { Email: 'ann@example.com' }, EndCustomer: { Email: 'ada@example.com' } },
      ['ann@example.com'],
    ],
    [{ AcctHolder: { Firstname: 'Ann' } }, []],
  ]
  for (const [given, addresses] of people) {
    test(`mails to ${addresses.join() || 'no one'} for ${JSON.stringify(given)}`, async () => {
      const till = await openMailingTill(world())
      await takeByPhone(till, { people: given })
      assert.deepEqual(
        (await mailed(till)).map((line) => line.split(':')[0]),
        addresses,
      )
    })
  }

  test('mails what is charged, given back and voided under a consent to its address', async () => {
    const till = await openMailingTill(world())
    const consent = await storeCard(till)
    const charge = async (BaseAmt: number) => {
      const body = { ConsentID: consent, Amounts: { BaseAmt } }
      return Number((await call(till, 'ConsentAnnual/ChargeStoredCard', body)).members['TxID'])
    }
    const [kept, gone] = [await charge(40), await charge(30)]
    const refund = Number((await credit(till, kept, 15)).members['TxID'])
    const voided = Number((await undo(till, gone)).members['VoidTxID'])
    assert.deepEqual(await mailed(till), [
      `cora@example.com: Sale approved: $40.00, ${kept}`,
      `cora@example.com: Sale approved: $30.00, ${gone}`,
      `cora@example.com: Refund approved: $15.00, ${refund}`,
      `cora@example.com: Void approved: $30.00, ${voided}`,
    ])
  })

  test('mails a refund to where the receipt of the sale went', async () => {
    const till = await openMailingTill(world())
    const sale = await takeByPhone(till)
    const refund = Number((await credit(till, sale, 5)).members['TxID'])
    assert.deepEqual((await mailed(till))[1], `ada@example.com: Refund approved: $5.00, ${refund}`)
  })

  test('mails the refund of a form to the address that its payer gave for the receipt', async () => {
    const till = await openMailingTill(world())
    const guest = await openForm(till, formOrder({}, { eVisible: 'E0E0' }))
    const typed = { ...goodCard, email: 'zoe@example.com', mail: '1' }
    assert.deepEqual(await press(guest, typed), { kind: 'paid' })
    const [receipt] = await messagesOf(till)
    assert.equal(receipt?.recipient, 'zoe@example.com')
    const found = await call(till, 'Query/Transaction', { Query: '(A=1)' })
    const [sale] = found.members['Transactions'] as readonly { readonly ID: number }[]
    await credit(till, sale?.ID ?? 0, 5)
    assert.match((await mailed(till))[1] ?? '', /^zoe@example\.com: Refund approved: \$5\.00/)
  })

  test('mails nothing for what is declined', async () => {
    const till = await openMailingTill(world())
    await takeByPhone(till, { card: '4000000000000002' })
    assert.deepEqual([await statesOf(till), await mailed(till)], [[], []])
  })

  test('mails nothing any more once the record does not ask for it', async () => {
    const till = await openMailingTill(world())
    await takeByPhone(till)
    await setMails(till, false)
    assert.deepEqual([await mailed(till), await statesOf(till)], [[], ['done']])
  })

  test('mails an unknown outcome once it is found to be approved, and not before', async () => {
    const needs = impatient(world())
    needs.bank.faults.add({ verb: 'inquire', times: 1, delivery: { losesAnswer: true } })
    const till = withKey(await openMailingTill(needs), 'k-2')
    const sale = await takeByPhone(till, { amount: 9900.68 })
    assert.deepEqual([await mailed(till), await statesOf(till)], [[], ['waiting']])
    needs.clock.advance({ minutes: 2 })
    await recoverAttempts(needs)
    assert.deepEqual(await mailed(till), [`ada@example.com: Sale approved: $9,900.68, ${sale}`])
  })

  test('mails nothing for an approval that no caller received and that is taken back', async () => {
    const needs = impatient(world())
    needs.bank.faults.add({ verb: 'inquire', times: 1, delivery: { losesAnswer: true } })
    const till = await openMailingTill(needs)
    await takeByPhone(till, { amount: 9900.68 })
    for (let round = 0; round < 2; round++) {
      needs.clock.advance({ minutes: 2 })
      await recoverAttempts(needs)
    }
    assert.deepEqual([await mailed(till), await statesOf(till)], [[], []])
  })

  test('mails it once although the gateway dies right before or after the outcome is written', async () => {
    for (const point of ['before_t2', 'after_t2'] as const) {
      const needs = world()
      const till = withKey(await openMailingTill(needs), `k-${point}`)
      const crashpoint: World['crashpoint'] = (one) => {
        if (one === point) throw new Crash(point)
      }
      const dying = { ...till, needs: { ...needs, crashpoint } }
      await assert.rejects(takeByPhone(dying), Crash)
      needs.clock.advance({ minutes: 2 })
      await recoverAttempts(needs)
      assert.match((await mailed(till)).join(), /^ada@example\.com: Sale approved: \$25\.50, \d+$/, point)
      assert.equal((await mailed(till)).length, 1)
    }
  })

  for (const state of passingStates)
    test(`mails it later where the database says ${state}`, async () => {
      const till = await openMailingTill(world())
      const sale = await takeByPhone(till)
      const { needs, heal } = refusingMessages(till.needs, state)
      await mailReceipts(needs).catch((error: unknown) => assert(isUnreachable(error)))
      assert.deepEqual([await statesOf(till), await messagesOf(till)], [['due'], []])
      heal()
      await mailReceipts(needs)
      assert.deepEqual(await mailed(till), [`ada@example.com: Sale approved: $25.50, ${sale}`])
    })

  test('mails the next one where one of them met a deadlock', async () => {
    const till = await openMailingTill(world())
    await takeByPhone(till)
    await takeByPhone(till)
    const { needs, heal } = refusingMessages(till.needs, '40P01')
    await mailReceipts({ ...needs, log: { ...needs.log, warn: heal } })
    assert.deepEqual(
      [(await statesOf(till)).toSorted(), (await messagesOf(till)).length],
      [['done', 'due'], 1],
    )
    assert.equal((await mailed(till)).length, 2)
  })

  test('gives up a receipt that can never be mailed, and logs so', async () => {
    const till = await openMailingTill(world())
    await takeByPhone(till)
    await mailReceipts(refusingMessages(till.needs, lastingState).needs)
    assert.deepEqual([await statesOf(till), await messagesOf(till)], [['done'], []])
    assert(till.needs.lines.some((line) => line.text === 'A receipt is not mailed by a fault of ours'))
  })

  test('forgets addresses when refunds are not to be expected any more', async () => {
    const till = await openMailingTill(world())
    await takeByPhone(till)
    await removeOldRequests(till.needs)
    assert.equal((await statesOf(till)).length, 1)
    till.needs.clock.advance({ hours: 24 * 400 })
    await removeOldRequests(till.needs)
    assert.deepEqual(await statesOf(till), [])
  })
})
