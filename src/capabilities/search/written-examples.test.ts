import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { governingChart } from '#capabilities/search/governing-chart.ts'
import { orderCharts } from '#capabilities/search/order-charts.ts'
import { parseExpression } from '#capabilities/search/parse-expression.ts'
import { printExpression } from '#capabilities/search/print-expression.ts'
import { queryAnnualConsents } from '#capabilities/search/query-annual-consents.operation.ts'
import { queryBankTransactions } from '#capabilities/search/query-bank-transactions.operation.ts'
import { queryBatches } from '#capabilities/search/query-batches.operation.ts'
import { queryRecurringConsents } from '#capabilities/search/query-recurring-consents.operation.ts'
import { querySchedules } from '#capabilities/search/query-schedules.operation.ts'
import { queryTransactions } from '#capabilities/search/query-transactions.operation.ts'
import { readMeaning } from '#capabilities/search/read-meaning.ts'
import { queryOrders } from '#capabilities/search/query-orders.operation.ts'
import { makeCallerOf } from '../../../test/support/consent-world.ts'
import { openShop } from '../../../test/support/order-world.ts'
import { firstPage } from '../../../test/support/searching.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/query-language.md'), 'utf8')

function examplesOf(query: string): readonly string[] {
  const blocks = page.matchAll(new RegExp(`^\`\`\`query ${query}\\n(.*?)^\`\`\`$`, 'gms'))
  return [...blocks].flatMap(([, lines = '']) => lines.trimEnd().split('\n'))
}

describe('the page of the query language', () => {
  const world = useWorld()
  const searches = {
    transaction: queryTransactions,
    consent: queryAnnualConsents,
    recurring: queryRecurringConsents,
    schedule: querySchedules,
    batch: queryBatches,
    bank: queryBankTransactions,
  }

  for (const [query, run] of Object.entries(searches)) {
    const examples = examplesOf(query)
    test(`has examples for ${query}`, () => assert.ok(examples.length >= 5))
    for (const example of examples) {
      test(`${example} can be asked as it stands there`, async () => {
        const needs = world()
        const answer = await run(needs, await makeCallerOf(needs), firstPage(example))
        assert(answer.ok, answer.ok ? '' : JSON.stringify(answer.refusal))
      })
    }
  }

  for (const example of examplesOf('international')) {
    test(`${example} can be asked of orders as it stands there`, async () => {
      const { needs, caller } = await openShop(world())
      const answer = await queryOrders(needs, caller, firstPage(example))
      assert(answer.ok, answer.ok ? '' : JSON.stringify(answer.refusal))
    })

    test(`${example} is read by one of the two charts`, () => {
      const expression = parseExpression(example)
      assert(expression.ok)
      assert.equal(printExpression(expression.value), example)
      const chart = governingChart(expression.value, orderCharts)
      assert(chart.ok)
      assert(readMeaning<string>(expression.value, chart.value, 'UTC').ok)
    })
  }
})
