import pg from 'pg'
import { type Follower, type Moved, roundsOf, type Start } from '#engine/payments/follower.ts'
import { refuse } from '#kernel/result.ts'
import { arrayOf, bool, int8, text } from '#platform/postgres/column-type.ts'
import { columnsOf } from '#platform/postgres/columns.ts'
import type { Connection } from '#platform/postgres/connection.ts'
import { statement } from '#platform/postgres/statement.ts'

// A slice in small: one column that a sale reserves, and that only an outcome which charged nothing, or a
// void, gives back.

export async function createLimitTable(connection: Connection): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(
    `create table if not exists test_limit (
       limit_id bigint primary key, lifetime bigint not null, used bigint not null check (used >= 0))`,
  )
  await client.end()
}

const reserve = `update test_limit l set used = l.used + i.amount
   from unnest($1::int8[], $2::int8[], $3::text[]) as i (limit_id, amount, ref)
   where l.limit_id = i.limit_id and l.used + i.amount <= l.lifetime
   returning i.ref`

const reserveStatement = statement(
  'test_reserve_limit',
  [arrayOf(int8), arrayOf(int8), arrayOf(text)],
  { ref: text },
  reserve,
)

const reserveAllStatement = statement(
  'test_reserve_all_limits',
  [arrayOf(int8), arrayOf(int8), arrayOf(text)],
  { insisted: bool },
  `with reserved as (${reserve})
   select insist('limits_give', count(*) = cardinality($1::int8[])) as insisted from reserved`,
)

const giveBackStatement = statement(
  'test_give_back_limit',
  [arrayOf(int8), arrayOf(int8)],
  {},
  `update test_limit l set used = l.used - i.amount
   from unnest($1::int8[], $2::int8[]) as i (limit_id, amount) where l.limit_id = i.limit_id`,
)

export const addLimitStatement = statement(
  'test_add_limit',
  [int8, int8],
  {},
  `insert into test_limit (limit_id, lifetime, used) values ($1, $2, 0)`,
)

const columnsOfSales = columnsOf<Start<null>>()(
  ({ subject }) => subject,
  ({ attempt }) => attempt.amounts.total.minor,
  ({ attempt }) => attempt.ref,
)

export const limitFollower: Follower<null> = {
  name: 'limit',
  begin: async (tx, starts) => {
    const sales = starts.filter(isSale)
    const rounds = await Promise.all(
      roundsOf(sales).map((round) => tx.run(reserveStatement, columnsOfSales(round))),
    )
    const reserved = new Set(rounds.flat().map((row) => row.ref))
    const missed = sales.filter(({ attempt }) => !reserved.has(attempt.ref))
    return new Map(missed.map(({ attempt }) => [attempt.ref, refuse('over_limit').refusal]))
  },
  beginAll: (tx, starts) =>
    Promise.all(
      roundsOf(starts.filter(isSale)).map((round) => tx.run(reserveAllStatement, columnsOfSales(round))),
    ),
  follow: async (tx, moved) => {
    const backs = new Map<bigint, bigint>()
    for (const one of moved) backs.set(one.subject, (backs.get(one.subject) ?? 0n) + givenBack(one))
    await tx.run(giveBackStatement, [[...backs.keys()], [...backs.values()]])
  },
  takesSeveral: true,
}

function isSale({ attempt }: Start<null>): boolean {
  return attempt.kind === 'sale'
}

function givenBack({ move: { attempt, to } }: Moved): bigint {
  const total = attempt.amounts.total.minor
  if (attempt.kind === 'void') return to === 'approved' ? total : 0n
  if (to === 'partial') return total - attempt.approved.total.minor
  return to === 'declined' || to === 'not_sent' || to === 'reversed' || to === 'refused' ? total : 0n
}
