import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { expireLinksWork } from '#capabilities/links/expire-links.task.ts'
import { noteOpening } from '#capabilities/links/show-link.operation.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import type { Database, Tx } from '#platform/postgres/database.ts'
import { lookAt, makeLink } from '../support/link-world.ts'
import { useWorldOn, type World } from '../support/session-world.ts'
import { useTestDatabase } from '../support/test-database.ts'
import { call, openTill, sell, settleAll, type Till, useTerminal } from '../support/till.ts'

// Whatever step its process dies after, what has happened and what others are to learn of it are there
// together or not at all.

// A process that does so many steps at its database and dies: before the next one, or, if that is a
// transaction, after all that is done in it and before its commit.
type Death = { readonly steps: number; readonly isAtCommit: boolean }

function mortal({ db, ...needs }: World, { steps, isAtCommit }: Death): World {
  let left = steps
  // What the last transaction does meanwhile, on whatever connection, is done.
  let isLast = false
  const step = (): void => {
    if (isLast) return
    if (left === 0) throw new Crash()
    left -= 1
  }
  const run: Database['run'] = async (...said) => {
    step()
    return db.run(...said)
  }
  const inTransaction: Database['inTransaction'] = async (work, saying) => {
    if (left > 0 || isLast || !isAtCommit) {
      step()
      return db.inTransaction(work, saying)
    }
    const cutOff = async (tx: Tx): Promise<never> => {
      isLast = true
      await work(tx).finally(() => (isLast = false))
      throw new Crash()
    }
    return db.inTransaction(cutOff, saying)
  }
  return { ...needs, db: { ...db, run, inTransaction } }
}

type Act = (till: Till) => Promise<unknown>
type Case = {
  readonly prepare: (till: Till) => Promise<Act>
  // What has happened.
  readonly fact: string
  // What is written for others; an event of this type unless it is something else.
  readonly told: string
}

const card = { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 }

async function consentOf(till: Till): Promise<unknown> {
  const body = { ccCardInfo: card, ConsentCreator: { MerchID: 1 } }
  return (await call(till, 'ConsentAnnual/Create_MAN', body)).members['ConsentID']
}

const plan = { MerchID: 1, NumPayments: 3, TotalAmount: 100, Period: 'MONTHLY' }

async function planOf(till: Till): Promise<unknown> {
  const body = { ccCardInfo: card, ConsentCreator: plan }
  return (await call(till, 'ConsentRecurring/Create', body)).members['ConsentID']
}

const event = (type: string): string => `select 1 from event where account_id = $1 and type = '${type}'`
const row = (table: string, where: string): string =>
  `select 1 from ${table} where account_id = $1 and ${where}`

const cases: Readonly<Record<string, Case>> = {
  'the first opening of a link': {
    prepare: async (till) => {
      const view = await lookAt(await makeLink(till))
      return ({ needs }) => noteOpening(needs, view)
    },
    fact: row('link', 'opened_at is not null'),
    told: event('link.opened'),
  },
  'the end of a link': {
    prepare: async (till) => {
      await makeLink(till)
      till.needs.clock.advance({ hours: 24 * 30 })
      const { accountId } = till.account
      const at = till.needs.clock.now()
      const { signal } = new AbortController()
      return ({ needs }) =>
        expireLinksWork.runDue(needs, { accountId, at, signal, tell: async () => undefined })
    },
    fact: row('link', `state = 'expired'`),
    told: event('link.expired'),
  },
  'a consent': {
    prepare: async () => consentOf,
    fact: row('consent', `state = 'active'`),
    told: event('consent.created'),
  },
  'a consent with a plan': {
    prepare: async () => planOf,
    fact: row('consent', `state = 'active'`),
    told: event('consent.created'),
  },
  'a change of a consent': {
    prepare: async (till) => {
      const ConsentID = await consentOf(till)
      const wish = { ConsentID, ConsentMods: { LimitPerCharge: 77 } }
      return (mortalTill) => call(mortalTill, 'ConsentAnnual/Modify', wish)
    },
    fact: row('consent', 'limit_per_charge_minor = 7700'),
    told: event('consent.changed'),
  },
  'the end of a consent': {
    prepare: async (till) => {
      const ConsentID = await consentOf(till)
      return (mortalTill) => call(mortalTill, 'ConsentAnnual/Cancel', { ConsentID })
    },
    fact: row('consent', `state = 'cancelled'`),
    told: event('consent.cancelled'),
  },
  'the end of a consent with a plan': {
    prepare: async (till) => {
      const ConsentID = await planOf(till)
      return (mortalTill) => call(mortalTill, 'ConsentRecurring/Cancel', { ConsentID })
    },
    fact: row('consent', `state = 'cancelled'`),
    told: event('consent.cancelled'),
  },
  'the end of a plan': {
    prepare: async (till) => {
      const ConsentID = await planOf(till)
      return (mortalTill) => call(mortalTill, 'ConsentRecurring/Cancel', { ConsentID })
    },
    fact: row('plan', `state = 'cancelled'`),
    told: row('plan_event', `what = 'cancelled'`),
  },
  'the end of a batch': {
    prepare: async (till) => {
      await sell(till, 20)
      return settleAll
    },
    fact: row('batch', `state = 'accepted'`),
    told: event('batch.closed'),
  },
  'a batch that is rejected': {
    prepare: async (till) => {
      await useTerminal(till, 'REJECT-1')
      await sell(till, 20)
      return settleAll
    },
    fact: row('batch', `state = 'rejected'`),
    told: event('batch.failed'),
  },
}

const stepsMax = 60

describe('in one commit with its event is', () => {
  const database = useTestDatabase()
  const world = useWorldOn(database)
  let client: pg.Client | null = null
  before(async () => {
    client = new pg.Client(database().connection)
    await client.connect()
  })
  after(() => client?.end())

  async function isThere({ account }: Till, sql: string): Promise<boolean> {
    const found = await client?.query(sql, [account.accountId])
    return (found?.rowCount ?? 0) > 0
  }

  for (const [what, { prepare, fact, told }] of Object.entries(cases)) {
    // Whether the process has died before it was done.
    const dies = async (death: Death): Promise<boolean> => {
      const till = await openTill(world())
      const act = await prepare(till)
      const early = [await isThere(till, fact), await isThere(till, told)]
      assert.deepEqual(early, [false, false], 'nothing has happened yet')
      const isDead = await act({ ...till, needs: mortal(till.needs, death) }).then(
        () => false,
        (error: unknown) => {
          assert(error instanceof Crash, String(error))
          return true
        },
      )
      const [has, tells] = [await isThere(till, fact), await isThere(till, told)]
      assert.equal(tells, has, JSON.stringify(death))
      assert(isDead || has, 'it has happened')
      return isDead
    }

    test(what, async () => {
      let steps = 0
      while (await dies({ steps, isAtCommit: false })) {
        await dies({ steps, isAtCommit: true })
        steps += 1
        assert(steps < stepsMax, 'it never ends')
      }
    })
  }
})
