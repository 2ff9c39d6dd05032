import type { World } from './session-world.ts'

// The same world, in which a transaction that has done its work waits before it commits.
export function holding(needs: World) {
  const [done, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const inTransaction: World['db']['inTransaction'] = (work, saying) =>
    needs.db.inTransaction(async (tx) => {
      const result = await work(tx)
      done.resolve()
      await gate.promise
      return result
    }, saying)
  return { needs: { ...needs, db: { ...needs.db, inTransaction } }, done: done.promise, open: gate.resolve }
}
