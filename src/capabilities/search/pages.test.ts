import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { debit } from '../../../test/support/bank-world.ts'
import { makeConsent } from '../../../test/support/consent-world.ts'
import { buy, cards, challenge, openShop, proc, undoOrder } from '../../../test/support/order-world.ts'
import { makePlan } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { call, openTill, sell, settleAll, type Till } from '../../../test/support/till.ts'

const world = useWorld()

type Kind = {
  readonly path: string
  readonly list: string
  // What finds all of them, and what finds some.
  readonly queries: readonly string[]
  // One more of the kind, with a date of its own or the same.
  readonly add: (shop: Till, n: number) => Promise<unknown>
}

const kinds: readonly Kind[] = [
  {
    path: 'Query/Transaction',
    list: 'Transactions',
    queries: ['(B=-1)', "(L>2)&&(C<'2029-01-01')", "(C>='2020-01-01')"],
    add: (shop, n) => sell(shop, n, n % 3 === 0 ? { card: cards.declining } : {}),
  },
  {
    path: 'Query/ConsentAnnual',
    list: 'Consents',
    queries: ["(H='True')", "(K LIKE '%')"],
    add: ({ needs, caller }) => makeConsent(needs, caller),
  },
  {
    path: 'Query/ConsentRecurring',
    list: 'Consents',
    queries: ['(G=3)', "(E<'2029-01-01')"],
    add: ({ needs, caller }) => makePlan(needs, caller),
  },
  {
    path: 'Query/RecurringSchedule',
    list: 'Schedule',
    queries: ['(B=1)', "(C<'2029-01-01')"],
    add: ({ needs, caller }) => makePlan(needs, caller),
  },
  {
    path: 'Query/BatchLog',
    list: 'BatchLogs',
    queries: ['(B=2)', '(A=1)'],
    add: async (shop, n) => {
      await sell(shop, n)
      await settleAll(shop)
    },
  },
  {
    path: 'Query/ACHTransaction',
    list: 'Transactions',
    queries: ['(B=-1)', '(K=1)'],
    add: ({ needs, caller }) => debit({ needs, caller }),
  },
  {
    path: 'Intl/QueryTransaction',
    list: 'Transactions',
    queries: ['(B=-1)', '(B=3)&&(E=1)', '(G=1)', "(C<'2029-01-01')", '(H>0)'],
    add: async (shop, n) => {
      if (n % 3 === 0) return challenge(shop)
      const { transactionId } = await buy(shop, { amount: `${n}.50` })
      return n % 3 === 1 ? undoOrder(shop, transactionId, 1) : null
    },
  },
]

const countOfEach = 5

type Found = Readonly<Record<string, unknown>>
type Page = { readonly found: readonly Found[]; readonly cursor: string }

async function readPage(shop: Till, { path, list }: Kind, body: object): Promise<Page> {
  const { code, text, members } = await call(shop, path, body)
  assert.equal(code, 0, text)
  const found: readonly Found[] = Object(members[list])
  assert.equal(members['NumRecords'], found.length)
  assert.match(text, new RegExp(`^Successfully Returned [A-Za-z ]+ Records : ${found.length}$`))
  const cursor = String(members['NextCursor'])
  assert.equal(members['HasMore'], cursor !== '')
  return { found, cursor }
}

async function readAll(shop: Till, kind: Kind, body: { Query: string; PageSize: number }) {
  const pages: (readonly Found[])[] = []
  let Cursor = ''
  do {
    const { found, cursor } = await readPage(shop, kind, { ...body, Cursor })
    pages.push(found)
    Cursor = cursor
  } while (Cursor !== '')
  assert.ok(
    pages.slice(0, -1).every(({ length }) => length === body.PageSize),
    'only the last is shorter',
  )
  return pages.flat()
}

// Some of each kind. The clock stands still, so that most have the same time; the last two are a year later.
async function furnish(needs: World): Promise<Till> {
  const shop = await openShop(needs)
  for (const { add } of kinds) for (let n = 1; n < countOfEach; n += 1) await add(shop, n)
  needs.clock.advance({ hours: 24 * 400 })
  for (const { add } of kinds) await add(shop, countOfEach)
  return shop
}

describe('pages of a search', () => {
  let shop: Till
  before(async () => {
    shop = await furnish(world())
  })

  for (const kind of kinds) {
    for (const Query of kind.queries) {
      test(`${kind.path} ${Query}: all pages together are all records, whatever their size`, async () => {
        const { found: all, cursor } = await readPage(shop, kind, { Query })
        assert.equal(cursor, '')
        assert.ok(all.length > 3)
        for (const PageSize of [1, 2, 3, 4, 7, all.length - 1, all.length, all.length + 1])
          assert.deepEqual(await readAll(shop, kind, { Query, PageSize }), all, `pages of ${PageSize}`)
      })
    }

    test(`${kind.path}: a cursor is refused by name anywhere but where it belongs`, async () => {
      const [Query = '', another = ''] = kind.queries
      const { cursor: Cursor } = await readPage(shop, kind, { Query, PageSize: 2 })
      const stranger = await openShop(shop.needs)
      const foreign = [
        call(stranger, kind.path, { Query, Cursor }),
        call(shop, kind.path, { Query: another, Cursor }),
        call(shop, kind.path, { Query, Cursor: 'x' }),
        call(shop, kind.path, { Query, Cursor: `${Cursor.slice(0, -1)}-` }),
        ...kinds
          .filter((other) => other !== kind)
          .map((other) => call(shop, other.path, { Query: '(A=1)||(A=2)', Cursor })),
      ]
      for (const refused of await Promise.all(foreign)) {
        assert.match(`${refused.code} ${refused.text}`, /^(?:4003 Cursor is not|6502 )/)
        assert.partialDeepStrictEqual(refused.members, { NumRecords: 0, HasMore: false, NextCursor: '' })
      }
    })
  }

  for (const [PageSize, code] of [
    [0, 4003],
    [-1, 4003],
    [10_001, 4003],
    [1.5, 4001],
    ['many', 4001],
  ] as const) {
    test(`PageSize ${PageSize} is refused with ${code}`, async () => {
      const { path } = kinds[0] ?? assert.fail('there is a kind')
      assert.equal((await call(shop, path, { Query: '(B=-1)', PageSize })).code, code)
    })
  }

  test('an empty Cursor begins', async () => {
    const [kind = assert.fail('there is a kind')] = kinds
    const [Query = ''] = kind.queries
    assert.deepEqual(await readPage(shop, kind, { Query, Cursor: '' }), await readPage(shop, kind, { Query }))
  })
})

for (const kind of kinds) {
  test(`${kind.path}: what is added meanwhile is neither doubled nor hides another record`, async () => {
    const open = await openShop(world())
    for (let n = 1; n <= 4; n += 1) await kind.add(open, n)
    const [Query = ''] = kind.queries
    const { found: all } = await readPage(open, kind, { Query })
    const seen: Found[] = []
    let Cursor = ''
    for (let n = 5; n === 5 || Cursor !== ''; n += 1) {
      const page = await readPage(open, kind, { Query, PageSize: 2, Cursor })
      seen.push(...page.found)
      Cursor = page.cursor
      await kind.add(open, n)
    }
    assert.deepEqual(seen, all)
  })
}

test('a scheduled payment that is moved to another day meanwhile is neither doubled nor lost', async () => {
  const [, , , kind = assert.fail('there are schedules')] = kinds
  const till = await openTill(world())
  for (let plans = 0; plans < 2; plans += 1) await makePlan(till.needs, till.caller)
  const [Query = ''] = kind.queries
  const { found: all } = await readPage(till, kind, { Query })
  const first = await readPage(till, kind, { Query, PageSize: 3 })
  const [moved, later] = [all[1]?.['ID'], all[4]?.['ID']]
  for (const [SchedID, DueDate] of [
    [moved, '1/20/2027'],
    [later, '12/20/2027'],
  ])
    assert.equal((await call(till, 'RecurringSchedule/Modify', { SchedID, DueDate })).code, 0)
  const rest = await readPage(till, kind, { Query, Cursor: first.cursor })
  const ids = [...first.found, ...rest.found].map(({ ID }) => ID)
  assert.deepEqual(
    ids,
    all.map(({ ID }) => ID),
  )
})

function crashpoint(point: string): void {
  if (point === 'before_t2') throw new Crash('as if the bank were still silent')
}

test('a charge that is under way on one page and done on the next is there once', async () => {
  const [kind = assert.fail('there are orders')] = kinds.slice(-1)
  const open = await openShop(world())
  const { needs } = open
  const { consentToken } = await buy(open, { saves: true })
  const deaf = { ...needs, ...paymentEngine({ ...needs, crashpoint }), clock: needs.clock }
  await assert.rejects(proc({ ...open, needs: deaf }, consentToken, 5), Crash)
  const Query = '(B=-1)'
  const first = await readPage(open, kind, { Query, PageSize: 1 })
  assert.deepEqual(
    first.found.map(({ ID, Status }) => [ID, Status]),
    [[0, 'PENDING']],
  )
  for (let rounds = 0; rounds < 2; rounds += 1) {
    needs.clock.advance({ minutes: 2 })
    await recoverAttempts(needs)
  }
  const rest = await readPage(open, kind, { Query, Cursor: first.cursor })
  const orders = new Set(rest.found.map((one) => one['Order_ID']))
  assert.ok(!orders.has(first.found[0]?.['Order_ID']))
  assert.deepEqual(
    rest.found.map(({ Status }) => Status),
    ['REDIRECT', '3DS', 'SETTLED'],
  )
})

async function inTransaction(): Promise<never> {
  throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
}

test('a search that the database does not end in time is refused, and the term to add is named', async () => {
  const till = await openShop(world())
  const slow = { ...till, needs: { ...till.needs, db: { ...till.needs.db, inTransaction } } }
  for (const { path, list, queries } of kinds) {
    const refused = await call(slow, path, { Query: queries[0] ?? '' })
    const term = String.raw`the term \([CE]>='2026-12-15'\), or one of letter [A-Z, ]+(?: or [A-Z])? with =`
    assert.match(
      `${refused.code} ${refused.text}`,
      new RegExp(`^6805 The search took longer than 4 s and was given up: add ${term}$`),
      path,
    )
    assert.deepEqual(refused.members, { NumRecords: 0, [list]: [], HasMore: false, NextCursor: '' })
  }
})
