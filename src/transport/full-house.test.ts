import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import type { Secret } from '#kernel/secret.ts'
import { Admission } from '#transport/admission.ts'
import type { Answer } from '#transport/answer.ts'
import { operationCaller } from '#transport/call-operation.ts'
import { makeToken, useWorld, type World } from '../../test/support/session-world.ts'
import { openTill, sell } from '../../test/support/till.ts'

const world = useWorld()
const address = '192.0.2.10'

type Wish = { readonly body: object; readonly sessionKey: Secret | null }
type CallByPath = (path: string, wish: Wish) => Promise<Answer>

// A gateway whose only place is taken, and whose event loop is late beyond all limits.
async function fullHouse(context: World): Promise<CallByPath> {
  let delay = 0
  const limits = { inFlightMax: 1, waitMsMax: 1, loopDelayMsMax: 10, loopDelayMs: () => delay }
  const admission = new Admission(limits)
  assert.equal(await admission.enter('money'), true)
  delay = 60_000
  const needs = { context, admission, limits: null, observe: () => undefined }
  const call = operationCaller(needs, operations)
  return (path, wish) => {
    const operation = operations.find(({ contract }) => contract.path === path)
    assert.ok(operation)
    return call(operation, { ...wish, idempotencyKey: null, address, requestId: 'r-1' })
  }
}

test('in a full house everything but what undoes a payment is turned away', async () => {
  const call = await fullHouse(world())
  const paths = operations.map(({ contract }) => contract.path)
  const answers = await Promise.all(paths.map((path) => call(path, { body: {}, sessionKey: null })))
  const served = paths.filter((_, at) => answers[at]?.error !== 'busy')
  assert.deepEqual(served.toSorted(), ['ACH/Void', 'CardSale/Void', 'Intl/VoidCredit'])
})

test('a sale is voided in a full house', async () => {
  const till = await openTill(world())
  const { accountCode } = till.account
  const token = await makeToken(till.needs, till.account)
  const signedIn = await authenticate(till.needs, { address }, { accountCode, token })
  assert.ok(signedIn.ok)
  const { sessionKey } = signedIn.value
  const body = { TxID: await sell(till, 5) }
  const call = await fullHouse(till.needs)
  const { error, result } = await call(voidSaleContract.path, { body, sessionKey })
  assert.equal(error, null)
  assert.equal('TxApproved' in result && result.TxApproved, true)
})
