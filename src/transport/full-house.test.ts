import assert from 'node:assert/strict'
import { test } from 'node:test'
import { voidBankDebitContract } from '#capabilities/bank-debits/void-bank-debit.contract.ts'
import { operations } from '#capabilities/operations.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { undoOrderContract } from '#capabilities/international/undo-order.contract.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import type { Secret } from '#kernel/secret.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { Admission } from '#transport/admission.ts'
import type { Answer } from '#transport/answer.ts'
import { operationCaller } from '#transport/call-operation.ts'
import { debit } from '../../test/support/bank-world.ts'
import { addShop, buy } from '../../test/support/order-world.ts'
import { makeToken, useWorld, type World } from '../../test/support/session-world.ts'
import { openTill, sell, type Till } from '../../test/support/till.ts'

const world = useWorld()
const address = '192.0.2.10'

type Wish = { readonly body: object; readonly sessionKey: Secret | null }
type CallByPath = (path: string, wish: Wish) => Promise<Answer>

const taken = () => Promise.reject(new DatabaseUnavailable('All connections are taken'))

// A gateway whose only place and whose connections are taken, and whose event loop is late beyond all limits.
async function fullHouse(vital: World): Promise<CallByPath> {
  const context = { ...vital, db: { ...vital.db, run: taken, inTransaction: taken } }
  let delay = 0
  const limits = { inFlightMax: 1, waitMsMax: 1, loopDelayMsMax: 10, loopDelayMs: () => delay }
  const admission = new Admission(limits)
  assert.equal(await admission.enter('money'), true)
  delay = 60_000
  const needs = { context, vital, admission, limits: null, observe: () => undefined }
  const call = operationCaller(needs, operations)
  return (path, wish) => {
    const operation = operations.find(({ contract }) => contract.path === path)
    assert.ok(operation)
    return call(operation, {
      ...wish,
      idempotencyKey: 'k-1',
      address,
      isWaiting: () => true,
      requestId: 'r-1',
    })
  }
}

test('in a full house everything but what undoes a payment is turned away', async () => {
  const call = await fullHouse(world())
  const paths = operations.map(({ contract }) => contract.path)
  const answers = await Promise.all(paths.map((path) => call(path, { body: {}, sessionKey: null })))
  const served = paths.filter((_, at) => answers[at]?.error !== 'busy')
  assert.deepEqual(served.toSorted(), ['ACH/Void', 'CardSale/Void', 'Intl/VoidCredit'])
})

async function signIn({ needs, account }: Till): Promise<Secret> {
  const { accountCode } = account
  const token = await makeToken(needs, account)
  const signedIn = await authenticate(needs, { address }, { accountCode, token })
  assert.ok(signedIn.ok)
  return signedIn.value.sessionKey
}

const undone: readonly [what: string, make: (till: Till) => Promise<[path: string, body: object]>][] = [
  ['a sale', async (till) => [voidSaleContract.path, { TxID: await sell(till, 5) }]],
  ['a debit of a bank account', async (till) => [voidBankDebitContract.path, { TxID: await debit(till) }]],
  [
    'an international order',
    async (till) => {
      await addShop(till, 'EUR')
      const { transactionId: TransID, amount } = await buy(till)
      return [undoOrderContract.path, { TransID, CreditAmt: Number(amount.minor) / 100 }]
    },
  ],
]
for (const [what, make] of undone) {
  test(`${what} is voided in a full house`, async () => {
    const till = await openTill(world())
    const [path, body] = await make(till)
    const sessionKey = await signIn(till)
    const call = await fullHouse(till.needs)
    const { error, result } = await call(path, { body, sessionKey })
    assert.equal(error, null)
    assert.equal('TxApproved' in result && result.TxApproved, true)
  })
}
