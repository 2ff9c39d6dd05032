import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { csvBreakRow, csvHead } from '#capabilities/reconciliation/reconciled-csv.ts'
import { reconcile } from '#capabilities/reconciliation/reconcile.operation.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { pausable } from '#engine/restore-guard/pausable.connector.ts'
import { moveClock } from '#engine/account-clock/move-clock.operation.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { currencyCode } from '#kernel/currency.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { openTill, sell, settleAll } from '../../../test/support/till.ts'

const period = {
  from: Temporal.Instant.from('2027-01-15T00:00Z'),
  to: Temporal.Instant.from('2027-01-17T00:00Z'),
}

async function breaks(needs: World, asked = period) {
  return (await Array.fromAsync(reconcile(needs, asked))).flatMap((one) => one.breaks)
}

async function causes(needs: World, asked = period): Promise<readonly string[]> {
  return (await breaks(needs, asked)).map(({ subject, cause }) => `${subject}: ${cause}`)
}

describe('what the bank says', () => {
  describe('about something that we do not know', () => {
    const world = useWorld()

    test('is named, also in the file', async () => {
      const needs = world()
      const number = CardNumber.parse('4111111111111111')
      const expiry = { month: 12, year: 2030 }
      const currency = currencyCode('USD')
      assert(number && currency)
      const request = {
        ref: 'stranger1' as AcquirerRef,
        card: { number, expiry, securityCode: null, street: '', zip: '' },
        amount: { minor: 2_500n, currency },
        fee: { minor: 0n, currency },
        terminal: { terminalId: 'T1', merchantName: 'Corner Books' },
        storedCard: null,
        isRecurring: false,
      }
      assert.equal((await needs.acquirer.authorize(request, AbortSignal.timeout(5_000))).kind, 'approved')
      const [found, ...others] = await breaks(needs)
      assert(found)
      assert.deepEqual(others, [])
      const { subject, ref, cause } = found
      assert.deepEqual([subject, ref], ['sale at the bank', 'stranger1'])
      assert.equal(cause, 'the bank holds 25.00 USD, and we do not know it')
      const [head, row] = [csvHead.trim().split(','), csvBreakRow(found).trim().split(',')]
      const cells = ['kind', 'reference'].map((column) => row[head.indexOf(column)])
      assert.deepEqual(cells, ['sale at the bank', 'stranger1'])
      assert(csvBreakRow(found).endsWith(`,"${cause}"\r\n`))
    })
  })

  describe('twice', () => {
    const world = useWorld()

    test('is named', async () => {
      const till = await openTill(world())
      const id = await sell(till, 25)
      await settleAll(till)
      const { acquirer: bank } = till.needs
      const acquirer: typeof bank = {
        ...bank,
        async *report(from, to) {
          for await (const line of bank.report(from, to)) {
            yield line
            yield line
          }
        },
      }
      assert.deepEqual(await causes({ ...till.needs, acquirer }), [
        `transaction ${id}: the bank reports it 2 times`,
      ])
    })
  })

  describe('when it cannot be asked', () => {
    const world = useWorld()

    test('is told apart from what it does not know', async () => {
      const till = await openTill(world())
      const id = await sell(till, 25)
      await settleAll(till)
      const { acquirer: bank } = till.needs
      const acquirer: typeof bank = {
        ...bank,
        async *report() {},
        inquire: async () => ({ kind: 'unknown', because: 'timeout' }),
      }
      assert.deepEqual(
        (await causes({ ...till.needs, acquirer })).map((cause) => cause.replace(/ \(id \d+\)/, '')),
        [
          `transaction ${id}: its report leaves it out, and the bank could not be asked`,
          'batch 1: the bank could not be asked whether it has accepted it',
        ],
      )
    })
  })

  describe('to a node that is paused', () => {
    const world = useWorld()

    test('is heard, so that an operator can compare before confirming', async () => {
      const till = await openTill(world())
      await sell(till, 25)
      await settleAll(till)
      const hold = { kind: 'paused', because: 'of a test' } as const
      const acquirer = pausable(till.needs.acquirer, { hold })
      assert.deepEqual(await causes({ ...till.needs, acquirer }), [])
    })
  })

  describe('about accounts whose clocks differ', () => {
    const world = useWorld()

    test('each transaction is compared on the day that its account had', async () => {
      const needs = world()
      const [ahead, present] = [await openTill(needs), await openTill(needs)]
      for (let count = 0; count < 5; count += 1) await sell(present, 10)
      const wish = { kind: 'advance' as const, by: Temporal.Duration.from('P30D') }
      const move = { accountId: ahead.account.accountId, timeZone: 'America/New_York', wish }
      assert((await moveClock(needs, [], { ...move, patienceMs: null })).ok)
      const id = await sell(ahead, 20)
      for (let count = 0; count < 5; count += 1) await sell(present, 10)
      const count = async (from: string, to: string) => {
        const asked = { from: Temporal.Instant.from(from), to: Temporal.Instant.from(to) }
        const all = await Array.fromAsync(reconcile(needs, asked))
        return all.flatMap((one) => (one.kind === 'line' ? [Number(one.line.transaction)] : []))
      }
      assert.deepEqual(await count('2027-02-14T00:00Z', '2027-02-15T00:00Z'), [id])
      assert.equal((await count('2027-01-15T00:00Z', '2027-01-16T00:00Z')).length, 10)
      assert.deepEqual(await count('2027-02-16T00:00Z', '2027-02-17T00:00Z'), [])
      assert.deepEqual(await count('2026-02-16T00:00Z', '2026-02-17T00:00Z'), [])
    })
  })
})
