import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import type { Hold } from '#engine/restore-guard/sending.ts'
import { Admission } from '#transport/admission.ts'
import { operationCaller } from '#transport/call-operation.ts'
import { makeToken, useWorld } from '../../test/support/session-world.ts'
import { openTill, sell } from '../../test/support/till.ts'

const world = useWorld()
const address = '192.0.2.10'

const holds: readonly [Hold['kind'], string, string][] = [
  ['paused', 'paused', 'who calls hears that an operator has to confirm'],
  ['busy', 'busy', 'who calls may call again'],
  ['unnoted', 'busy', 'who calls may call again, at another node too'],
]
for (const [kind, error, what] of holds)
  test(`while sending is held (${kind}) no call moves money, and ${what}`, async () => {
    const till = await openTill(world())
    const TxID = await sell(till, 5)
    const context = { ...till.needs, sending: { hold: { kind, because: 'of a test' } } }
    const admission = new Admission({
      inFlightMax: 1,
      waitMsMax: 1,
      loopDelayMsMax: 10,
      loopDelayMs: () => 0,
    })
    const needs = { context, vital: context, admission, limits: null, observe: () => undefined }
    const operation = operations.find(({ contract }) => contract.path === voidSaleContract.path)
    const { accountCode } = till.account
    const signedIn = await authenticate(
      context,
      { address },
      { accountCode, token: await makeToken(context, till.account) },
    )
    assert.ok(operation && signedIn.ok)
    const { sessionKey } = signedIn.value
    const asked = { body: { TxID }, sessionKey, idempotencyKey: null, address, requestId: 'r-1' }
    const answer = await operationCaller(needs, operations)(operation, { ...asked, isWaiting: () => true })
    assert.equal(answer.error, error)
  })
