import assert from 'node:assert/strict'
import type { DiaryEntry, DueMoment, DueWork } from '#engine/account-clock/due-work.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Database, Queryable } from '#platform/postgres/database.ts'
import type { World } from './session-world.ts'

// Does what is due now by the account's clock, and answers what is told of it.
export function runDueNow(
  needs: World,
  work: DueWork<World>,
  accountId: AccountId,
): Promise<readonly DiaryEntry[]> {
  return runDueAt(needs, work, { accountId, at: needs.accountClock.now(accountId) })
}

export async function runDueAt(
  needs: World,
  work: DueWork<World>,
  due: Pick<DueMoment, 'accountId' | 'at'>,
): Promise<readonly DiaryEntry[]> {
  const { moment, diary } = keepingDiary(due)
  await work.runDue(needs, moment)
  return diary
}

function keepingDiary({ accountId, at }: Pick<DueMoment, 'accountId' | 'at'>) {
  const diary: DiaryEntry[] = []
  const tell: DueMoment['tell'] = async (entries) => void diary.push(...entries)
  return { moment: { accountId, at, signal: new AbortController().signal, tell }, diary }
}

type Failure = { readonly statement: string; readonly time: number }

// Does what is due until this statement is asked for so many times, which fails, and answers what was told
// before.
export async function runDueUntil(
  needs: World,
  work: DueWork<World>,
  { accountId, ...failure }: Failure & { readonly accountId: AccountId },
): Promise<readonly DiaryEntry[]> {
  const { moment, diary } = keepingDiary({ accountId, at: needs.accountClock.now(accountId) })
  let times = 0
  const isTime: Failing = (name) => name === failure.statement && ++times === failure.time
  const [db, deliveryDb] = [failingWhere(needs.db, isTime), failingWhere(needs.deliveryDb, isTime)]
  await assert.rejects(work.runDue({ ...needs, db, deliveryDb }, moment), /this statement fails/)
  return diary
}

type Failing = (statement: string, values: readonly unknown[]) => boolean

export function failingWhere(
  db: Database,
  isFailing: Failing,
  error = new Error('this statement fails'),
): Database {
  const failingOn = (on: Queryable): Queryable => ({
    run: async (said, values) => {
      if (isFailing(said.name, values)) throw error
      return on.run(said, values)
    },
  })
  const inTransaction: Database['inTransaction'] = (work, saying) =>
    db.inTransaction((tx) => work({ ...tx, ...failingOn(tx) }), saying)
  return { ...db, ...failingOn(db), inTransaction }
}
