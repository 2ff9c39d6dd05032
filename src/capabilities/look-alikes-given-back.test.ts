import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { makeConsent } from '../../test/support/consent-world.ts'
import {
  charge,
  chargeConsent,
  codeOf,
  heldBy,
  idOf,
  openWatchfulTill,
} from '../../test/support/look-alike-world.ts'
import { useWorld } from '../../test/support/session-world.ts'
import { credit, type Till, type Told, undo, withKey } from '../../test/support/till.ts'

const world = useWorld()

describe('a reference is free again', () => {
  test('after a decline, for another card', async () => {
    const till = await openWatchfulTill(world())
    const declined = await charge(till, { card: '4000000000000002' })
    assert.deepEqual([declined.code, declined.members['TxApproved']], [0, false])
    assert.equal(await codeOf(charge(till)), 0)
    assert.equal(await codeOf(charge(till)), 6705)
  })

  test('after a void, but not after a credit', async () => {
    const till = await openWatchfulTill(world())
    const sold = await charge(till)
    assert.equal(await codeOf(undo(till, idOf(sold))), 0)
    assert.equal(await heldBy(till), 0)
    const again = await charge(till)
    assert.equal(again.code, 0)
    assert.equal(await codeOf(credit(till, idOf(again), 5)), 0)
    assert.equal(await codeOf(charge(till)), 6705)
  })

  test('where the void comes late, only of what was voided', async () => {
    const till = await openWatchfulTill(world())
    const sold = await charge(till)
    till.needs.clock.advance({ seconds: 60 })
    const again = await charge(till)
    assert.equal(await codeOf(undo(till, idOf(sold))), 0)
    assert.equal((await charge(till)).members['TxID'], idOf(again))
  })

  test('after a refusal for another reason', async () => {
    const till = await openWatchfulTill(world())
    const consent = await makeConsent(till.needs, till.caller, { creator: { LimitPerCharge: 1 } })
    assert.equal(await codeOf(chargeConsent(till, consent, 'order-1')), 6104)
    assert.equal(await heldBy(till), 0)
  })

  test('after an approval that broke a condition, once it is taken back', async () => {
    const till = await openWatchfulTill(world())
    const declined = await charge(till, { amount: 9900.1 })
    assert.equal(declined.members['TxnCode'], '10')
    assert.match((await charge(till, { amount: 9900.1 })).text, /which was declined and is being taken back/)
    await recoverAttempts(till.needs)
    assert.equal(await heldBy(till), 0)
  })
})

describe('a charge whose outcome is not known keeps its reference', () => {
  const whileUnknown = /which has no outcome yet: query it, do not charge again/

  test('and for good, where it turns out to be approved', async () => {
    const till = await openWatchfulTill(world())
    const told = await leaveUnknown(withKey(till, 'k'))
    const second = await charge(till)
    assert.deepEqual([second.code, second.members['TxID']], [6705, idOf(told)])
    assert.match(second.text, whileUnknown)
    till.needs.clock.advance({ seconds: 50 })
    await recoverAttempts(till.needs)
    assert.match((await charge(till)).text, /which was approved with code/)
  })

  test('until it is reversed, because nobody has heard of it', async () => {
    const till = await openWatchfulTill(world())
    await leaveUnknown(till)
    assert.match((await charge(till)).text, whileUnknown)
    for (let round = 0; round < 3; round++) {
      till.needs.clock.advance({ seconds: 15 })
      await recoverAttempts(till.needs)
    }
    assert.equal(await heldBy(till), 0)
    assert.equal(await codeOf(charge(till)), 0)
  })
})

async function leaveUnknown(till: Till): Promise<Told> {
  const { faults } = till.needs.bank
  faults.add({ verb: 'authorize', times: 1, delivery: { losesAnswer: true, hangsUp: true } })
  faults.add({ verb: 'inquire', times: 1, delivery: { losesRequest: true, hangsUp: true } })
  const told = await charge(till)
  assert.equal(told.code, 9003)
  return told
}
