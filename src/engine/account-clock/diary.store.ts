import type { DiaryEntry } from '#engine/account-clock/due-work.ts'
import type { AccountId } from '#kernel/ids.ts'
import { arrayOf, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const clearDiaryStatement = statement(
  'clear_clock_diary',
  [int8],
  {},
  `delete from clock_diary where account_id = $1`,
)

const appendDiaryStatement = statement(
  'append_clock_diary',
  [int8, arrayOf(timestamptz), arrayOf(text), arrayOf(nullable(int8)), arrayOf(text)],
  {},
  `insert into clock_diary (account_id, happened_at, what, subject, sentence)
   select $1, i.happened_at, i.what, i.subject, i.sentence
   from unnest($2::timestamptz[], $3::text[], $4::int8[], $5::text[]) with ordinality
     as i (happened_at, what, subject, sentence, place)
   order by i.place`,
)

const readDiaryStatement = statement(
  'read_clock_diary',
  [int8, int4],
  { happened_at: timestamptz, what: text, subject: nullable(int8), sentence: text },
  `select happened_at, what, subject, sentence from clock_diary
   where account_id = $1 order by happened_at, clock_diary_id limit $2::int4`,
)

const countDiaryStatement = statement(
  'count_clock_diary',
  [int8],
  { entries: int4 },
  `select count(*)::int4 as entries from clock_diary where account_id = $1`,
)

export async function clearDiary(db: Queryable, account: AccountId): Promise<void> {
  await db.run(clearDiaryStatement, [account])
}

export async function appendDiary(
  db: Queryable,
  account: AccountId,
  entries: readonly DiaryEntry[],
): Promise<void> {
  await db.run(appendDiaryStatement, [
    account,
    entries.map(({ at }) => at),
    entries.map(({ what }) => what),
    entries.map(({ subject }) => subject),
    entries.map(({ text: sentence }) => sentence),
  ])
}

export type Diary = { readonly entries: readonly DiaryEntry[]; readonly total: number }

// In order of time, from the beginning: what was overdue when the move began is dated by when it was due.
export async function readDiary(db: Queryable, account: AccountId, most: number): Promise<Diary> {
  const [rows, [counted]] = await Promise.all([
    db.run(readDiaryStatement, [account, most]),
    db.run(countDiaryStatement, [account]),
  ])
  const entries = rows.map(({ happened_at: at, what, subject, sentence }) => {
    return { at, what, subject, text: sentence }
  })
  return { entries, total: counted?.entries ?? 0 }
}
