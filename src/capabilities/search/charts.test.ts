import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bankTransactionChart } from '#capabilities/search/bank-transaction-chart.ts'
import type { Chart } from '#capabilities/search/chart.ts'
import { consentChart } from '#capabilities/search/consent-chart.ts'
import type { Filter } from '#capabilities/search/filter.ts'
import { governingChart } from '#capabilities/search/governing-chart.ts'
import { orderCharts } from '#capabilities/search/order-charts.ts'
import { parseExpression } from '#capabilities/search/parse-expression.ts'
import { readMeaning } from '#capabilities/search/read-meaning.ts'
import { scheduleChart } from '#capabilities/search/schedule-chart.ts'
import { transactionChart } from '#capabilities/search/transaction-chart.ts'

function parsed(text: string) {
  const expression = parseExpression(text)
  assert(expression.ok)
  return expression.value
}

function readOrder(text: string) {
  const expression = parsed(text)
  const chart = governingChart(expression, orderCharts)
  assert(chart.ok)
  const filter = readMeaning<string>(expression, chart.value, 'America/New_York')
  assert(filter.ok, filter.ok ? '' : JSON.stringify(filter.refusal))
  return { isFirst: chart.value === orderCharts.first, filter: filter.value }
}

// What a filter says, in words.
function told(filter: Filter<string>): string {
  switch (filter.kind) {
    case 'all':
      return `all(${filter.parts.map(told).join(', ')})`
    case 'any':
      return `any(${filter.parts.map(told).join(', ')})`
    case 'compare':
      return `${filter.field} ${filter.operator} ${String(filter.value.value)}`
    case 'like':
      return `${filter.field} like ${filter.pattern}`
    case 'among':
      return `${filter.field} ${filter.isNegated ? 'not ' : ''}in ${filter.words.join('|')}`
  }
}

describe('the rules of the specification, read by the charts for international orders', () => {
  const examples: readonly [string, string][] = [
    ['(B=3)&&(E=1)', 'all(status in SETTLED, result in SUCCESS)'],
    ['(G=2)', 'action in CREDITVOID'],
    ['(G=3)', 'action in RECURRING_SALE'],
    ["(D LIKE '%son')", 'lastName like %son'],
    ["(D LIKE 'Sm%')", 'lastName like Sm%'],
    [
      "(C>='11/15/2026')&&(C<'11/16/2026')",
      'all(created >= 2026-11-15T05:00:00Z, created < 2026-11-16T05:00:00Z)',
    ],
    ["(C>='11/15/2026 01:30:00 PM')", 'created >= 2026-11-15T18:30:00Z'],
    ["(C>='2026/11/15')", 'created >= 2026-11-15T05:00:00Z'],
    ["(C>'2026-07-01')", 'created > 2026-07-01T04:00:00Z'],
    ["(E<>'0')", 'lock <> 0'],
    ['(A=1)||(L>=10.5)', 'any(merchant = 1, amount >= 10500)'],
    ["(M='R-1')&&(N<>'x')", 'all(clientRef = R-1, guid <> x)'],
    ['(Q=0012)', 'lastFour = 0012'],
    ['(W=0012)', 'consent = 0012'],
    ['(W=0)', 'consent = '],
    ['(W>=012)', 'consent >= 12'],
  ]
  for (const [text, expected] of examples) {
    test(`${text} means ${expected}`, () => assert.equal(told(readOrder(text).filter), expected))
  }

  test('ALL is everything with =, and nothing with <>', () => {
    assert.equal(told(readOrder('(B=-1)').filter), 'all()')
    assert.equal(told(readOrder('(B<>-1)').filter), 'any()')
  })

  test('PENDING stands twice in the table, and both match 3DS too', () => {
    for (const text of ['(B=1)', '(B=7)']) assert.equal(told(readOrder(text).filter), 'status in PENDING|3DS')
  })

  test('the second chart has values of its own', () => {
    assert.equal(
      told(readOrder('(B=4)&&(H=7)').filter),
      'all(status in REFUND|REVERSAL|CHARGEBACK, record = 7)',
    )
    assert.equal(told(readOrder('(K=1)').filter), 'type in ')
  })
})

function toldBy(chart: Chart, text: string): string {
  const filter = readMeaning(parsed(text), chart, 'America/New_York')
  assert(filter.ok)
  return told(filter.value)
}

describe('the last four digits', () => {
  const charts: readonly (readonly [string, Chart, string])[] = [
    ['a card of a transaction', transactionChart, 'Q'],
    ['an account of a bank debit', bankTransactionChart, 'Q'],
    ['a card of a scheduled payment', scheduleChart, 'F'],
    ['a card of an order', orderCharts.first, 'Q'],
    ['a card of an order by the second chart', orderCharts.second, 'Q'],
  ]
  for (const [what, chart, letter] of charts) {
    test(`of ${what} may be asked for as the number that answers tell`, () => {
      const rows = [
        ['=341', 'lastFour = 0341'],
        ['<>7', 'lastFour <> 0007'],
        ['=0341', 'lastFour = 0341'],
        ['=-1', 'all()'],
        ["='341'", 'lastFour = 341'],
        [" LIKE '%41'", 'lastFour like %41'],
      ]
      for (const [rest, expected] of rows) assert.equal(toldBy(chart, `(${letter}${rest})`), expected)
    })
  }
})

describe('which of the two charts governs', () => {
  const first = ['(A=1)', '(B=3)&&(E=1)', '(F=7)', '(G=1)', '(W=7)', "(E='-1')", "(E='6')", '(E=9)']
  for (const text of first) {
    test(`${text} is read by the first`, () => {
      const chart = governingChart(parsed(text), orderCharts)
      assert(chart.ok)
      assert.equal(chart.value, orderCharts.first)
    })
  }

  const second = [
    '(H=7)',
    '(K=1)',
    '(P=7)',
    "(R='x')",
    "(S='x')",
    "(T='x')",
    "(U='API')",
    "(E<>'0')",
    "(E='9F')",
  ]
  for (const text of second) {
    test(`${text} is read by the second`, () => {
      const chart = governingChart(parsed(`(A=1)&&${text}`), orderCharts)
      assert(chart.ok)
      assert.equal(chart.value, orderCharts.second)
    })
  }

  const mixed: readonly [string, string, string][] = [
    ['(G=1)&&(H=7)', 'G', 'H'],
    ["(U='API')||((A=1)&&(F=7))", 'F', 'U'],
    ["(E<>'0')&&(W=7)", 'W', "E<>'0'"],
    ["(B=3)&&(E=1)&&(U='WID')", 'E=1', 'U'],
    ['(E=6)&&(P=9)', 'E=6', 'P'],
  ]
  for (const [text, one, other] of mixed) {
    test(`${text} is refused, and names ${one} and ${other}`, () => {
      const chart = governingChart(parsed(text), orderCharts)
      assert(!chart.ok)
      assert.deepEqual(chart.refusal.details, { first: one, second: other })
    })
  }
})

describe('what makes no sense', () => {
  const cases: readonly [string, number, RegExp][] = [
    ['(Y=1)', 2, /no letter Y here; the letters are A B C/],
    ['(A=1.5)', 4, /whole number/],
    ['(A=1234567890123456)', 4, /15 digits/],
    ["(A='1e3')", 4, /whole number/],
    ["(H LIKE '5%')", 2, /can be compared by = <> < <= > or >=/],
    ['(Q>1111)', 2, /can be compared by = <> or LIKE/],
    ["(P>'1x')", 4, /whole number/],
    ['(L=0.0001)', 4, /at most 3 decimals/],
    ["(C='2/30/2027')", 4, /takes a date/],
    ["(C='0001-01-01')", 4, /takes a date/],
    ["(C>'/Date(253402300800000)/')", 4, /takes a date/],
    ["(B='open')", 4, /is one of -1, 1, 2, 3, 4, 5/],
    ["(B='__proto__')", 4, /is one of/],
    ["(A=1)&&(B LIKE '1')", 9, /= or <>/],
  ]
  for (const [text, column, problem] of cases) {
    test(`${text} is refused at column ${column}`, () => {
      const filter = readMeaning(parsed(text), transactionChart, 'UTC')
      assert(!filter.ok)
      assert.equal(filter.refusal.details['column'], column)
      assert.match(String(filter.refusal.details['problem']), problem)
    })
  }

  test('True and False are words of the chart of consents, in any case', () => {
    for (const text of ["(H='True')", "(H='true')"]) {
      const filter = readMeaning(parsed(text), consentChart, 'UTC')
      assert(filter.ok)
      assert.equal(told(filter.value), 'enabled in true')
    }
  })
})
