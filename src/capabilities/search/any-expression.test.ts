import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import { bankTransactionChart } from '#capabilities/search/bank-transaction-chart.ts'
import { searchBankTransactions } from '#capabilities/search/bank-transaction-search.store.ts'
import { batchChart } from '#capabilities/search/batch-chart.ts'
import { searchBatches } from '#capabilities/search/batch-search.store.ts'
import type { Chart } from '#capabilities/search/chart.ts'
import { consentChart } from '#capabilities/search/consent-chart.ts'
import { searchAnnualConsents } from '#capabilities/search/consent-search.store.ts'
import type { FoundOrderRecord } from '#capabilities/search/found-order.ts'
import { orderCharts } from '#capabilities/search/order-charts.ts'
import { type AnyOrderField, searchOrders } from '#capabilities/search/order-search.store.ts'
import { parseExpression } from '#capabilities/search/parse-expression.ts'
import { printExpression } from '#capabilities/search/print-expression.ts'
import { readMeaning } from '#capabilities/search/read-meaning.ts'
import { searchRecurringConsents } from '#capabilities/search/recurring-consent-search.store.ts'
import { scheduleChart } from '#capabilities/search/schedule-chart.ts'
import { searchSchedules } from '#capabilities/search/schedule-search.store.ts'
import { transactionChart } from '#capabilities/search/transaction-chart.ts'
import { searchTransactions } from '#capabilities/search/transaction-search.store.ts'
import type { Search } from '#capabilities/search/search-records.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { debit, settle } from '../../../test/support/bank-world.ts'
import { charge, makeConsent } from '../../../test/support/consent-world.ts'
import { count } from '../../../test/support/counts.ts'
import { buy, cards, openShop, findRecords } from '../../../test/support/order-world.ts'
import { makePlan } from '../../../test/support/plan-world.ts'
import { anyExpression, expressionIn } from '../../../test/support/expressions.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'

// Whatever is written into a query: the database never complains, and nothing of another account comes back.

const world = useWorld()
const numRuns = count({ full: 20_000, usual: 300 })
const most = 10_001

type Party = { readonly caller: Caller; readonly ids: ReadonlySet<bigint> }
let needs: World | null = null
let own: Party | null = null

async function openParty(at: World): Promise<Party> {
  const shop = await openShop(at)
  const { caller } = shop
  const consent = await makeConsent(at, caller)
  const { consent: planned, schedule } = await makePlan(at, caller)
  const ids = new Set<bigint>([consent, BigInt(planned), ...schedule.map(({ SchedID }) => BigInt(SchedID))])
  for (const amount of [25.5, 10, 9900.05]) {
    const paid = await charge(at, caller, consentId(consent), { Amounts: amount })
    if (paid.ok) ids.add(paid.value.attemptId)
  }
  ids.add(BigInt(await debit({ needs: at, caller })))
  ids.add(await settle({ needs: at, caller }))
  ids.add(BigInt(await debit({ needs: at, caller })))
  for (const wish of [{ saves: true }, { card: cards.declining }]) {
    const { charge: sale } = await buy(shop, wish)
    if (sale) ids.add(sale.attemptId).add(BigInt(sale.details.consentId || sale.attemptId))
  }
  for (const { ID } of await findRecords(shop, '(B=-1)')) ids.add(BigInt(ID ?? 0))
  return { caller, ids }
}

// One query, from the text to the ids of what it finds; null when the text is refused.
function asked<Field extends string, One>(
  what: string,
  chart: Chart<Field>,
  search: (db: World['db'], asking: Search<Field>) => Promise<readonly One[]>,
  idOf: (one: One) => bigint,
) {
  const find = async (at: World, { accountId: account }: Caller, query: string) => {
    const expression = parseExpression(query)
    if (!expression.ok) return null
    const filter = readMeaning(expression.value, chart, 'UTC')
    if (!filter.ok) return null
    const sought = { filter: filter.value, after: null, account, merchant: null, most }
    return (await search(at.db, sought)).map(idOf)
  }
  return { what, chart, find }
}

describe('any expression whatever', () => {
  before(async () => {
    needs = world()
    own = await openParty(needs)
    await openParty(needs)
  })

  const searches = [
    asked('transactions', transactionChart, searchTransactions, ({ transactionId }) => transactionId),
    asked('annual consents', consentChart, searchAnnualConsents, ({ consentId: id }) => id),
    asked('recurring consents', consentChart, searchRecurringConsents, ({ consentId: id }) => id),
    asked('scheduled payments', scheduleChart, searchSchedules, ({ instalmentId: id }) => id),
    asked('batches', batchChart, searchBatches, ({ batchId: id }) => id),
    asked<AnyOrderField, FoundOrderRecord>(
      'orders by the first chart',
      orderCharts.first,
      searchOrders,
      ({ recordId }) => recordId,
    ),
    asked<AnyOrderField, FoundOrderRecord>(
      'orders by the second chart',
      orderCharts.second,
      searchOrders,
      ({ recordId }) => recordId,
    ),
    asked('bank debits', bankTransactionChart, searchBankTransactions, ({ transactionId: id }) => id),
  ]
  for (const { what, chart, find } of searches) {
    test(`that makes sense finds ${what} of the caller alone, and can be run`, async () => {
      let hits = 0
      await fc.assert(
        fc.asyncProperty(expressionIn(chart), async (expression) => {
          assert(needs && own)
          const found = await find(needs, own.caller, printExpression(expression))
          assert(found, 'it makes sense')
          hits += found.length
          assert.ok(found.every((id) => own?.ids.has(id)))
        }),
        { numRuns },
      )
      assert.ok(hits > 0, 'some of them found something')
    })

    test(`is read or refused for ${what}, and what is read can be run`, async () => {
      await fc.assert(
        fc.asyncProperty(anyExpression, async (expression) => {
          assert(needs && own)
          const found = await find(needs, own.caller, printExpression(expression))
          assert.ok(found === null || found.every((id) => own?.ids.has(id)))
        }),
        { numRuns },
      )
    })
  }

  test('a further alternative never removes a record, and a further condition never adds one', async () => {
    const [{ find } = assert.fail('there is a search')] = searches
    const two = fc.tuple(expressionIn(transactionChart), expressionIn(transactionChart))
    await fc.assert(
      fc.asyncProperty(two, async ([left, right]) => {
        assert(needs && own)
        const { caller } = own
        const at = needs
        const [one, other] = [`(${printExpression(left)})`, `(${printExpression(right)})`]
        const alone = await find(at, caller, one)
        const either = await find(at, caller, `${one}||${other}`)
        const both = await find(at, caller, `${one}&&${other}`)
        // Two large ones together may have too many terms.
        if (!alone || !either || !both) return
        assert.ok(alone.every((id) => either.includes(id)))
        assert.ok(both.every((id) => alone.includes(id)))
      }),
      { numRuns: Math.ceil(numRuns / 10) },
    )
  })
})
