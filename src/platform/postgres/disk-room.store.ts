import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Some hundred kilobytes, given back at once. Rows and not one long text, which would be packed.
const takeRoomStatement = statement(
  'take_room',
  [],
  {},
  `create temporary table tillgate_room on commit drop as
     select room from generate_series(1, 20000) as one (room)`,
)

export async function takeRoom(db: Queryable): Promise<void> {
  await db.run(takeRoomStatement, [])
}
