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
     select (details->>'consentId')::int8 as consent_id, count(*) as payments, sum(total_minor) as minor
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

// After every run: a run whose money does not add up has no figure.
export async function checkMoney(db: Database, told: Told, what: string): Promise<void> {
  const [[sums], [consents], [events], ledger] = [
    await db.run(sumsStatement, []),
    await db.run(consentsStatement, []),
    await db.run(eventsStatement, []),
    await verifyLedger(db),
  ]
  const posted = ledger.lines.reduce((sum, line) => sum + line.posted, 0n)
  const facts: readonly (readonly [string, bigint | null | undefined, number])[] = [
    ['approved attempts', sums?.approved, told.approved],
    ['their sum', sums?.approved_minor ?? 0n, told.approvedMinor],
    ['sum of what consents have used', sums?.used_minor ?? 0n, told.approvedMinor],
    ['payments', consents?.payments, told.approved],
    ['their sum', consents?.paid_minor ?? 0n, told.approvedMinor],
    ['consents that disagree with their payments', consents?.off, 0],
    ['events of approvals', events?.approved, told.approved],
    ['events of declines', events?.declined, told.declined],
    ['posted in the ledger', posted, told.approvedMinor],
    ['unresolved attempts', sums?.unresolved, 0],
  ]
  const broken = facts
    .filter(([, found, expected]) => Number(found) !== expected)
    .map(([name, found, expected]) => `${name}: ${found}, must be ${expected}`)
  if (!ledger.isSound) broken.push('the ledger is not sound')
  if (broken.length > 0) throw new CheckFailed(`${what}: ${broken.join('; ')}`)
}
