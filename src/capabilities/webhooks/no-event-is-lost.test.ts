import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { deliverLane } from '#capabilities/webhooks/deliver-lane.operation.ts'
import { fanOutEvents, wakeLanes } from '#capabilities/webhooks/fan-out-events.operation.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { type Database, openDatabase, type Tx } from '#platform/postgres/database.ts'
import { Dice } from '../../../test/simulation/dice.ts'
import { count } from '../../../test/support/counts.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { openReceiver, type Received } from '../../../test/support/webhook-receiver.ts'
import { deliveriesOf, eventOf, openShop, type Shop } from '../../../test/support/webhook-world.ts'

const world = useWorld()
const eventsWanted = count({ full: 10_000, usual: 300 })
const shopsCount = 5
const roundsMax = 5_000
// Fewer than there are tries, so that in the end everything arrives by itself.
const refusalsMax = 8
const deathsPerMilleSteps = 4

class Killed extends Error {}

// A dispatcher that may die at every step, before it is done or after, like a process that is killed. Once
// dead it does nothing more; what it held stays held until its lease ends.
class Mortal {
  readonly #dice: Dice
  #isDead = false

  constructor(dice: Dice) {
    this.#dice = dice
  }

  get isDead(): boolean {
    return this.#isDead
  }

  async step<T>(work: () => Promise<T>): Promise<T> {
    this.#mayDie()
    const done = await work()
    this.#mayDie()
    return done
  }

  needsOf(immortal: World): World {
    const { deliveryDb, sendRequest } = immortal
    const mortalTx = (tx: Tx): Tx => ({
      isTransaction: true,
      run: (statement, values) => this.step(() => tx.run(statement, values)),
    })
    const db: Database = {
      run: (statement, values) => this.step(() => deliveryDb.run(statement, values)),
      inTransaction: (work) => this.step(() => deliveryDb.inTransaction((tx) => work(mortalTx(tx)))),
      close: () => Promise.resolve(),
    }
    return { ...immortal, deliveryDb: db, sendRequest: (request) => this.step(() => sendRequest(request)) }
  }

  #mayDie(): void {
    this.#isDead ||= this.#dice.happens(deathsPerMilleSteps)
    if (this.#isDead) throw new Killed()
  }
}

// The dispatcher has connections of its own and waits for a free one, as in a gateway.
function worldWithPatience(t: TestContext): World {
  const needs = world()
  const options = { sizeMax: 4, waitMsMax: 60_000, onIdleError: () => undefined }
  const deliveryDb = openDatabase(needs.connection, options)
  t.after(() => deliveryDb.close())
  return { ...needs, deliveryDb }
}

async function live(immortal: World, dice: Dice): Promise<boolean> {
  const mortal = new Mortal(dice)
  const needs = mortal.needsOf(immortal)
  const { signal } = new AbortController()
  try {
    await fanOutEvents(needs)
    const lanes = await wakeLanes(needs)
    const runs = await Promise.allSettled(lanes.map((due) => deliverLane(needs, { ...due, signal })))
    const failed = runs.filter((run) => run.status === 'rejected').map(({ reason }) => reason as unknown)
    for (const reason of failed) if (!(reason instanceof Killed)) throw reason
  } catch (error) {
    if (!(error instanceof Killed)) throw error
  }
  return mortal.isDead
}

const takenBack = new Error('This charge comes to nothing')

// One charge that takes a while to commit, so that later ones overtake it, or that comes to nothing.
async function charge({ needs, accountId }: Shop, dice: Dice, number: number): Promise<boolean> {
  const [isFailing, pauses] = [dice.happens(100), dice.below(30)]
  const work = needs.db.inTransaction(async (tx) => {
    await appendEvents(tx, [eventOf(accountId, number)], needs.clock.now())
    for (let pause = 0; pause < pauses; pause++) await new Promise((resolve) => setImmediate(resolve))
    if (isFailing) throw takenBack
  })
  return work.then(
    () => true,
    (error: unknown) => {
      if (error !== takenBack) throw error
      return false
    },
  )
}

class Tills {
  written = 0
  isClosed = false

  // Three tills that charge one after the other until there are enough.
  async open(shops: readonly Shop[], dice: Dice): Promise<void> {
    const work = async (till: number): Promise<void> => {
      for (let number = 1; this.written < eventsWanted; number++) {
        const shop = dice.oneOf(shops)
        assert(shop)
        if (await charge(shop, dice, till * 1_000_000 + number)) this.written++
      }
    }
    await Promise.all([1, 2, 3].map(work))
    this.isClosed = true
  }
}

test(`${eventsWanted} events reach receivers that fail half the time, whoever is killed when`, async (t) => {
  const dice = new Dice(20_270_115)
  const arrived = new Map<string, Set<string>>()
  const accepted = new Set<string>()
  const refused = new Map<string, number>()
  // Half the time, but no message more often than it is tried.
  const isWelcome = ({ headers, body }: Received): boolean => {
    const id = String(headers['webhook-id'])
    arrived.getOrInsertComputed(id, () => new Set()).add(body)
    const refusals = refused.get(id) ?? 0
    const isRefused = dice.happens(500) && refusals < refusalsMax
    if (isRefused) refused.set(id, refusals + 1)
    else accepted.add(id)
    return !isRefused
  }
  const receiver = await openReceiver(t, (received, response) => {
    if (isWelcome(received)) return response.writeHead(dice.oneOf([200, 202, 204]) ?? 200).end()
    if (dice.happens(200)) return response.destroy()
    return response.writeHead(dice.oneOf([500, 500, 404, 302, 429]) ?? 500).end()
  })
  const needs = worldWithPatience(t)
  const shops: Shop[] = []
  for (let at = 0; at < shopsCount; at++) shops.push(await openShop(needs, `${receiver.url}/${at}`))
  const tills = new Tills()
  const charging = tills.open(shops, dice)
  let [deaths, rounds] = [0, 0]
  const isOver = (): boolean => tills.isClosed && accepted.size >= tills.written
  for (; rounds < roundsMax && !isOver(); rounds++) {
    if (await live(needs, dice)) deaths++
    needs.clock.advance({ seconds: 20 + dice.below(tills.isClosed ? 10_000 : 600) })
  }
  await charging
  const { written } = tills
  assert.equal(accepted.size, written, `all are accepted after ${rounds} rounds`)
  assert.equal(arrived.size, written, 'and nothing that did not happen was told')
  assert.deepEqual([...arrived.values()].filter(({ size }) => size !== 1).length, 0, 'one id, one body')
  assert(deaths > written / 200, `dispatchers died: ${deaths}`)
  // Some arrived although the dispatcher died before it could write so; they are sent once more.
  for (let more = 0; more < 500; more++) {
    await live(needs, dice)
    needs.clock.advance({ hours: 6 })
    const left = await Promise.all(shops.map(deliveriesOf))
    if (left.flat().every(({ state }) => state === 'delivered')) break
  }
  const states = new Set((await Promise.all(shops.map(deliveriesOf))).flat().map(({ state }) => state))
  assert.deepEqual(states, new Set(['delivered']))
  t.diagnostic(`${written} events, ${deaths} deaths, ${rounds} rounds`)
})
