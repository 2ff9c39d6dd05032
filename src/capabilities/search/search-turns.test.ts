import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SearchTurns } from '#capabilities/search/search-turns.ts'
import { accountId } from '#kernel/ids.ts'

const [one, other] = [accountId(1n), accountId(2n)]

test('two searches of an account run at once, and those of another account beside them', async () => {
  const turns = new SearchTurns({ atOnce: 2, waitMsMax: 0 })
  assert.deepEqual(await Promise.all([turns.take(one), turns.take(one)]), [true, true])
  assert.equal(await turns.take(one), false)
  assert.equal(await turns.take(other), true)
})

test('a search that waits begins when one before it ends, in the order in which they came', async () => {
  const turns = new SearchTurns({ atOnce: 1, waitMsMax: 60_000 })
  const begun: string[] = []
  const search = async (name: string) => {
    assert(await turns.take(one))
    begun.push(name)
  }
  const all = ['first', 'second', 'third'].map(search)
  await all[0]
  assert.deepEqual(begun, ['first'])
  turns.leave(one)
  await all[1]
  turns.leave(one)
  await all[2]
  assert.deepEqual(begun, ['first', 'second', 'third'])
})

test('one that waited in vain is handed no turn', async () => {
  const turns = new SearchTurns({ atOnce: 1, waitMsMax: 0 })
  assert.deepEqual(await Promise.all([turns.take(one), turns.take(one)]), [true, false])
  turns.leave(one)
  assert.equal(await turns.take(one), true)
})
