import { timestamptz } from '#platform/postgres/column-type.ts'
import type { Database } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const unanswerStatement = statement(
  'test_unanswer',
  [timestamptz],
  {},
  `update attempt set state = 'sending', status = null, lease_until = $1
   where attempt_id = (select max(attempt_id) from attempt)`,
)

// Makes of the newest attempt what a gateway leaves behind that is killed while the bank is asked.
export async function unanswer(db: Database, leaseUntil: Temporal.Instant): Promise<void> {
  await db.run(unanswerStatement, [leaseUntil])
}
