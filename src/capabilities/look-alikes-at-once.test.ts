import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { makeConsent } from '../../test/support/consent-world.ts'
import { charge, chargeConsent, codeOf, idOf, openWatchfulTill } from '../../test/support/look-alike-world.ts'
import { useWorld, type World } from '../../test/support/session-world.ts'

const world = useWorld()

describe('equal charges at the same moment', () => {
  for (const [what, bodyOf] of [
    ['with a typed card', () => ({})],
    ['with one reference of two', (at: number) => ({ guid: `basket-${at}` })],
  ] as const) {
    test(`${what} on two nodes are one charge`, async () => {
      const till = await openWatchfulTill(world())
      const nodes = [node(till.needs), node(till.needs)]
      const told = await Promise.all(
        Array.from({ length: 40 }, (_, at) =>
          charge({ ...till, needs: nodes[at % 2] ?? till.needs }, bodyOf(at)),
        ),
      )
      const [made, ...rest] = told.filter(({ code }) => code === 0)
      assert(made)
      assert.deepEqual(rest, [])
      for (const { code, members } of told)
        if (code !== 0) assert.deepEqual([code, members['TxID']], [6705, idOf(made)])
      const asked = (await till.needs.bank.log.read({ last: 100 })).filter(({ verb }) => verb === 'authorize')
      assert.equal(asked.length, 1)
    })
  }

  test('that cross their references do not wait for each other for ever', async () => {
    const till = await openWatchfulTill(world())
    const nodes = [node(till.needs), node(till.needs)]
    for (let round = 0; round < 10; round++) {
      const crossed = [
        { ref: `a${round}`, guid: `b${round}` },
        { ref: `a${round}`, guid: `c${round}` },
        { ref: `d${round}`, guid: `b${round}` },
        { ref: `d${round}`, guid: `c${round}` },
      ]
      const told = await Promise.all(
        crossed.map((wish, at) => charge({ ...till, needs: nodes[at % 2] ?? till.needs }, wish)),
      )
      const made = told.filter(({ code }) => code === 0).length
      assert(made === 1 || made === 2, `${made} were made`)
    }
  })

  test('under one consent take of its limit once', async () => {
    const till = await openWatchfulTill(world())
    const consent = await makeConsent(till.needs, till.caller, { creator: { LimitLifeTime: 10 } })
    const codes = await Promise.all(
      Array.from({ length: 8 }, () => codeOf(chargeConsent(till, consent, 'order-1'))),
    )
    const refused = codes.filter((code) => code === 6705)
    assert.deepEqual([refused.length, codes.includes(0)], [7, true])
    assert.equal(await codeOf(chargeConsent(till, consent, 'order-2')), 0)
    assert.equal(await codeOf(chargeConsent(till, consent, 'order-3')), 6105)
  })

  test('beside others disturb nobody', async () => {
    const till = await openWatchfulTill(world())
    const codes = await Promise.all(
      Array.from({ length: 30 }, (_, at) => codeOf(charge(till, { ref: `order-${at % 10}`, guid: '' }))),
    )
    assert.equal(codes.filter((code) => code === 0).length, 10)
  })
})

// Another process on the same database.
function node(needs: World): World {
  return { ...needs, ...paymentEngine(needs), clock: needs.clock }
}
