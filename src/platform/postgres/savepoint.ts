import type { Tx } from '#platform/postgres/database.ts'
import { releaseSavepoint, rollbackToSavepoint, savepoint } from '#platform/postgres/transaction.store.ts'

// A part of a transaction that may fail without the rest: what it changed is undone, and the transaction goes
// on. Not for parts within such parts, nor for several at once.
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await tx.run(savepoint, [])
  try {
    const answer = await work()
    await tx.run(releaseSavepoint, [])
    return answer
  } catch (error) {
    await tx.run(rollbackToSavepoint, [])
    throw error
  }
}
