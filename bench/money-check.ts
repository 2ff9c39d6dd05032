import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { int8, nullable } from '#platform/postgres/column-type.ts'
import type { Database } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import type { ChargeTally } from './charge-order.ts'
import { CheckFailed } from './scenario.ts'

// What the clients were told, added up over all samples of a database; the database must say the same.
export class Told {
  approved = 0
  approvedMinor = 0
  declined = 0
  // What the database held before the first sample: a gateway seeds its sandbox with some orders.
  standing: Facts = {}

  get isEmpty(): boolean {
    return this.approved === 0 && this.declined === 0
  }

  add(tally: ChargeTally): void {
    this.approved += tally.approved
    this.approvedMinor += tally.approvedMinor
    this.declined += tally.declined
  }
}

const sumsStatement = statement(
  'bench_money_sums',
  [],
  { used_minor: nullable(int8), approved: int8, approved_minor: nullable(int8), unresolved: int8 },
  `select (select sum(used_minor)::int8 from consent) as used_minor,
     count(*) filter (where state in ('approved', 'partial')) as approved,
     sum(approved_minor) filter (where state in ('approved', 'partial'))::int8 as approved_minor,
     count(*) filter (
       where state not in ('approved', 'partial', 'declined', 'not_sent', 'reversed', 'refused'))
       + (select count(*) from unresolved_attempt) as unresolved
   from attempt where kind = 'sale'`,
)

// Consents whose use is not what was paid under them, so that two wrongs do not make a right.
const consentsStatement = statement(
  'bench_money_of_consents',
  [],
  { payments: int8, paid_minor: nullable(int8), off: int8 },
  `with paid as (
     select nullif(details->>'consentId', '')::int8 as consent_id, count(*) as payments,
       sum(total_minor) as minor
     from payment where kind = 'sale' and status = 'open' group by 1
   )
   select coalesce(sum(p.payments), 0)::int8 as payments, sum(p.minor)::int8 as paid_minor,
     count(*) filter (where coalesce(p.minor, 0) <> c.used_minor) as off
   from consent c full join paid p using (consent_id)`,
)

const eventsStatement = statement(
  'bench_money_events',
  [],
  { approved: int8, declined: int8 },
  `select count(*) filter (where type = 'payment.approved') as approved,
     count(*) filter (where type = 'payment.declined') as declined
   from event where type like 'payment.%'`,
)

// What a database says of its money, by the name of the fact.
export type Facts = Readonly<Record<string, number>>

export async function readMoney(db: Database): Promise<Facts> {
  // The ledger takes as long as all else.
  const [ledger, { sums, consents, events }] = await Promise.all([verifyLedger(db), readRows(db)])
  return {
    'approved attempts': Number(sums?.approved),
    'their sum': Number(sums?.approved_minor ?? 0n),
    'sum of what consents have used': Number(sums?.used_minor ?? 0n),
    payments: Number(consents?.payments),
    'sum of payments': Number(consents?.paid_minor ?? 0n),
    'consents that disagree with their payments': Number(consents?.off),
    'events of approvals': Number(events?.approved),
    'events of declines': Number(events?.declined),
    'posted in the ledger': Number(ledger.lines.reduce((sum, line) => sum + line.posted, 0n)),
    'unresolved attempts': Number(sums?.unresolved),
    'ledgers that are not sound': ledger.isSound ? 0 : 1,
  }
}

async function readRows(db: Database) {
  const [sums] = await db.run(sumsStatement, [])
  const [consents] = await db.run(consentsStatement, [])
  const [events] = await db.run(eventsStatement, [])
  return { sums, consents, events }
}

// After every run: a run whose money does not add up has no figure.
export async function checkMoney(db: Database, told: Told, what: string): Promise<void> {
  const found = await readMoney(db)
  const expected: Facts = {
    'approved attempts': told.approved,
    'their sum': told.approvedMinor,
    'sum of what consents have used': told.approvedMinor,
    payments: told.approved,
    'sum of payments': told.approvedMinor,
    'consents that disagree with their payments': 0,
    'events of approvals': told.approved,
    'events of declines': told.declined,
    'posted in the ledger': told.approvedMinor,
    'unresolved attempts': 0,
    'ledgers that are not sound': 0,
  }
  const broken = Object.entries(expected)
    .map(([name, count]) => ({ name, is: found[name], must: count + (told.standing[name] ?? 0) }))
    .filter(({ is, must }) => is !== must)
    .map(({ name, is, must }) => `${name}: ${is}, must be ${must}`)
  if (broken.length > 0) throw new CheckFailed(`${what}: ${broken.join('; ')}`)
}
