import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { CrashPoint } from '#engine/payments/payment-needs.ts'
import { useTestDatabase } from '../support/test-database.ts'
import { legalEdges } from './check-history.ts'
import { allCases, deaths, nameOf } from './crash-cases.ts'
import { type Lane, openLane } from './lane.ts'
import {
  bankIsSilentForAWeek,
  bankTakesBack,
  operatorDecides,
  reversalIsDueLate,
  reversalIsNotConfirmed,
  reversalIsRefused,
} from './rare-ends.ts'
import { violationsOf } from './run-case.ts'

// Small scope, all of it: every place to die, times every manner of the bank, times every time of recovery.

const databases = [useTestDatabase(), useTestDatabase(), useTestDatabase()]
const seen = { points: new Set<string>(), edges: new Set<string>() }
const lanes: Lane[] = []

describe('no crash loses or doubles a charge', () => {
  before(async () => {
    lanes.push(...(await Promise.all(databases.map((database) => openLane(database(), seen)))))
  })
  after(() => Promise.all(lanes.map(({ client }) => client.end())))

  for (const death of deaths) {
    test(death.name, async () => {
      const cases = allCases().filter((one) => one.death === death)
      const found = await Promise.all(
        lanes.map(async (lane, at) => {
          const broken: string[] = []
          for (const one of cases.filter((_, index) => index % lanes.length === at)) {
            const violations = await violationsOf(lane, one)
            broken.push(...violations.map((violation) => `${violation} [${nameOf(one)}]`))
          }
          return broken
        }),
      )
      assert.deepEqual(found.flat(), [])
    })
  }

  const rareEnds: readonly [string, (lane: Lane) => Promise<unknown>, string][] = [
    ['an approval that the bank took back itself is found reversed', bankTakesBack, 'reversed'],
    ['nobody but an operator closes what the bank is silent about', bankIsSilentForAWeek, 'manual'],
    ['a reversal that is never confirmed comes to an operator', reversalIsNotConfirmed, 'manual'],
    ['a reversal that the bank refuses comes to an operator', reversalIsRefused, 'manual'],
    ['an operator finds out that it was approved', operatorDecides('approved'), 'approved'],
    ['an operator finds out that it was declined', operatorDecides('declined'), 'declined'],
    ['an operator has it reversed', operatorDecides('reversed'), 'reversed'],
    ['a reversal that falls due late is sent all the same', reversalIsDueLate, 'reversed'],
  ]
  for (const [sentence, play, state] of rareEnds) {
    test(sentence, async () => {
      const [lane] = lanes
      assert(lane)
      assert.deepEqual(await play(lane), { state, open: 0 })
    })
  }

  test('every crash point and every edge of the state machine was reached', () => {
    const inTheEngine: readonly CrashPoint[] = [
      ...(['before_t1_commit', 'after_t1', 'after_send', 'before_t2', 'after_t2'] as const),
      ...(['before_reversal', 'after_reversal', 'before_recovery_t2'] as const),
    ]
    const around = ['in_flight', 'lost_commit_1', 'lost_commit_2', 'slept_before_send', 'slept_before_t2']
    assert.deepEqual([...seen.points].toSorted(), [...inTheEngine, ...around].toSorted())
    // A credit that is found after all, and of which the bank never gives a part.
    const edges = [...legalEdges, 'reversing -> approved']
    assert.deepEqual([...seen.edges].toSorted(), edges.toSorted())
  })
})
