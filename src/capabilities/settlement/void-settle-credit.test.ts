import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Dice } from '../../../test/simulation/dice.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { credit, openTill, sell, settleAll, settleSome, type Till, undo } from '../../../test/support/till.ts'

const world = useWorld()

type Gated = { readonly needs: World; readonly arrived: Promise<void>; readonly open: () => void }

// A bank that answers what undoes or settles a sale only when the gate is opened.
function gatedWorld(): Gated {
  const full = world()
  const [gate, arrival] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { acquirer } = full
  const pass = () => {
    arrival.resolve()
    return gate.promise
  }
  const gated: typeof acquirer = {
    ...acquirer,
    reverse: (...asked) => pass().then(() => acquirer.reverse(...asked)),
    refund: (...asked) => pass().then(() => acquirer.refund(...asked)),
    settle: (...asked) => pass().then(() => acquirer.settle(...asked)),
  }
  const needs = { ...full, ...paymentEngine({ ...full, acquirer: gated }), clock: full.clock }
  return { needs, arrived: arrival.promise, open: () => gate.resolve() }
}

type Outcome = { readonly by: string; readonly isDone: boolean; readonly text: string }

const ways: Readonly<Record<string, (till: Till, sale: number) => Promise<Outcome>>> = {
  void: async (till, sale) => {
    const { members, text } = await undo(till, sale)
    return { by: 'void', isDone: members['TxApproved'] === true, text }
  },
  credit: async (till, sale) => {
    const { members, text } = await credit(till, sale, 25)
    return { by: 'credit', isDone: members['TxApproved'] === true, text }
  },
  settle: async (till, sale) => {
    const { isApproved, text } = await settleSome(till, [sale])
    return { by: 'settle', isDone: isApproved, text }
  },
}

const refusals =
  /cannot be (voided|credited|settled): (it is being|it is locked|its day is being)|is being settled at this/

type Runner = (till: Till, sale: number) => Promise<Outcome>
type Race = { readonly first: Runner | null; readonly others: readonly Runner[] }

// Whoever is first waits at the bank until everybody else has been told no.
async function race({ first, others }: Race): Promise<string> {
  const { needs, arrived, open } = gatedWorld()
  const till = await openTill(needs)
  const sale = await sell(till, 25)
  let left = others.length + (first ? 1 : 0)
  const counted = async (run: Runner): Promise<Outcome> => {
    const outcome = await run(till, sale)
    left -= 1
    if (left === 1) open()
    return outcome
  }
  const ahead = first ? [counted(first)] : []
  if (first) await arrived
  const outcomes = await Promise.all([...ahead, ...others.map(counted)])
  const winners = outcomes.filter(({ isDone }) => isDone)
  assert.equal(winners.length, 1, `${winners.map(({ by }) => by).join()} won`)
  for (const { isDone, text } of outcomes) assert(isDone || refusals.test(text), text)
  assert((await verifyLedger(needs.db)).isSound)
  const [winner] = winners
  assert(winner)
  const unsettled = { void: 0, settle: 0, credit: 2 }[winner.by]
  assert.equal((await settleAll(till)).batch['BatchTransCount'], unsettled)
  return winner.by
}

for (const [by, first] of Object.entries(ways)) {
  test(`while a ${by} is under way every other void, credit and settlement is refused`, async () => {
    const others = Array.from({ length: 4 }, () => Object.values(ways)).flat()
    assert.equal(await race({ first, others }), by)
  })
}

for (const seed of [1, 2, 3]) {
  test(`of voids, credits and settlements of one sale at once exactly one wins (${seed})`, async () => {
    const dice = new Dice(seed)
    const others = Array.from({ length: 30 }, () => dice.oneOf(Object.values(ways)) ?? assert.fail())
    await race({ first: null, others })
  })
}
