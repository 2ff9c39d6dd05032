import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { bool, date, int4, text } from '#platform/postgres/column-type.ts'
import { type Database, openDatabase, type Tx } from '#platform/postgres/database.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { statement } from '#platform/postgres/statement.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const create = statement('talk_create', [], {}, 'create table if not exists said (word text unique)')
const say = statement('talk_say', [text], { word: text }, 'insert into said values ($1) returning word')
const heard = statement('talk_heard', [], { word: text }, 'select word from said order by word')
const double = statement('talk_double', [int4], { n: int4, none: text }, 'select $1 * 2 as n, null as none')
const fail = statement('talk_fail', [int4], { n: int4 }, 'select 1 / $1 as n')
const backend = statement('talk_backend', [], { pid: int4 }, 'select pg_backend_pid() as pid')
const kill = statement('talk_kill', [int4], { gone: bool }, 'select pg_terminate_backend($1) as gone')

const killMyself = 'select pg_terminate_backend(pg_backend_pid()) as gone'

const inOneGo = { inOneGo: true }
const fail0 = (tx: Tx): Promise<unknown> => tx.run(fail, [0])
// Heard of only after some promises more.
async function deeplyFailing(depth = 20): Promise<void> {
  if (depth === 0) throw new Error('down there')
  await deeplyFailing(depth - 1)
}

const sayOf = (word: string) => (tx: Tx) => tx.run(say, [word])

describe('a database for batches', () => {
  const database = useTestDatabase()
  let opened: Database | null = null
  const db = (): Database => {
    assert(opened)
    return opened
  }
  before(async () => {
    opened = openDatabase(database().connection, {
      sizeMax: 1,
      onIdleError: () => undefined,
      isForBatches: true,
    })
    await opened.run(create, [])
  })
  after(() => opened?.close())

  const wordsSaid = async () => (await db().run(heard, [])).map(({ word }) => word)

  test('a statement that is new may be sent twice at once, and each gets its own rows', async () => {
    const answers = await db().inTransaction((tx) => Promise.all([tx.run(double, [1]), tx.run(double, [2])]))
    assert.deepEqual(answers, [[{ n: 2, none: null }], [{ n: 4, none: null }]])
    assert.deepEqual(await db().run(double, [3]), [{ n: 6, none: null }])
  })

  test('what is said is kept once it is committed', async () => {
    await db().inTransaction((tx) => Promise.all([tx.run(say, ['kept a']), tx.run(say, ['kept b'])]))
    assert.deepEqual(await wordsSaid(), ['kept a', 'kept b'])
  })

  test('nothing behind a failed statement is run, though it was sent already', async () => {
    const saidBefore = await wordsSaid()
    const said = db().inTransaction((tx) =>
      Promise.all([tx.run(say, ['first']), tx.run(fail, [0]), tx.run(say, ['last'])]),
    )
    await assert.rejects(said, /division by zero/)
    assert.deepEqual(await wordsSaid(), saidBefore)
  })

  test('what is said in one go is kept, and its answers are heard', async () => {
    const answers = await db().inTransaction(
      (tx) => Promise.all([tx.run(say, ['at once a']), tx.run(say, ['at once b'])]),
      inOneGo,
    )
    assert.deepEqual(answers, [[{ word: 'at once a' }], [{ word: 'at once b' }]])
    const said = await wordsSaid()
    assert.ok(said.includes('at once a') && said.includes('at once b'))
  })

  test('nothing of what is said in one go is kept where a part of it fails', async () => {
    const saidBefore = await wordsSaid()
    for (const parts of [
      [fail0, sayOf('x'), sayOf('y')],
      [sayOf('x'), fail0, sayOf('y')],
      [sayOf('x'), sayOf('y'), fail0],
    ]) {
      const said = db().inTransaction((tx) => Promise.all(parts.map((part) => part(tx))), inOneGo)
      await assert.rejects(said, /division by zero/)
      assert.deepEqual(await wordsSaid(), saidBefore)
    }
  })

  test('what the work makes of a failure is what its caller hears', async () => {
    const said = db().inTransaction(async (tx) => {
      await tx.run(fail, [0]).catch((cause: unknown) => {
        throw new Error('no eight today', { cause })
      })
    }, inOneGo)
    await assert.rejects(said, /no eight today/)
    assert.deepEqual(await db().run(double, [1]), [{ n: 2, none: null }])
  })

  test('work that fails by itself in its turn undoes what it has said in one go', async () => {
    const saidBefore = await wordsSaid()
    const unwritable = { ...text, encode: () => assert.fail('not to be written') }
    const write = statement('talk_write', [unwritable], {}, 'select $1::text')
    const failing: readonly ((tx: Tx) => Promise<unknown>)[] = [
      async (tx) => {
        tx.run(say, ['regretted']).catch(() => undefined)
        throw new Error('changed my mind')
      },
      (tx) => Promise.all([tx.run(say, ['regretted']), tx.run(write, ['x'])]),
      (tx) => Promise.all([tx.run(say, ['regretted']), deeplyFailing()]),
      (tx) => Promise.all([tx.run(say, ['regretted']), Promise.resolve().then(() => tx.run(say, ['late']))]),
      () => assert.fail('before it promises anything'),
    ]
    for (const work of failing) {
      await assert.rejects(db().inTransaction(work, inOneGo))
      assert.deepEqual(await wordsSaid(), saidBefore)
    }
  })

  test('a failure that the work swallows is none that passes for a commit', async () => {
    const said = db().inTransaction((tx) => tx.run(fail, [0]).catch(() => undefined), inOneGo)
    await assert.rejects(said, /division by zero/)
  })

  test('a word that comes after an answer is refused, and is no part of anything', async () => {
    const late = db().inTransaction(async (tx) => {
      await tx.run(double, [1])
      await tx.run(say, ['too late'])
    }, inOneGo)
    await assert.rejects(late, /says nothing more/)
    assert.ok(!(await wordsSaid()).includes('too late'))
  })

  test('who has nothing to say in one go is done at once', async () => {
    assert.equal(await db().inTransaction(async () => 'silence', inOneGo), 'silence')
    assert.deepEqual(await db().run(double, [4]), [{ n: 8, none: null }])
  })

  test('a connection that ends while something is said in one go leaves its end open', async () => {
    const suicide = statement('talk_suicide', [], { gone: bool }, killMyself)
    const saidBefore = await wordsSaid()
    const said = db().inTransaction(
      (tx) => Promise.all([tx.run(say, ['last words']), tx.run(suicide, [])]),
      inOneGo,
    )
    await assert.rejects(said, DatabaseUnavailable)
    assert.deepEqual(await wordsSaid(), saidBefore)
  })

  test('a statement that failed while it was being prepared runs the next time', async () => {
    const half = statement('talk_half', [int4], { n: int4 }, 'select 8 / $1 as n')
    const later = statement('talk_later', [], { n: int4 }, 'select 9 as n')
    const both = db().inTransaction((tx) => Promise.all([tx.run(half, [0]), tx.run(later, [])]))
    await assert.rejects(both, /division by zero/)
    assert.deepEqual(await db().run(half, [2]), [{ n: 4 }])
    assert.deepEqual(await db().run(later, []), [{ n: 9 }])
  })

  test('work that fails by itself undoes what it has said', async () => {
    const saidBefore = await wordsSaid()
    const broken = db().inTransaction(async (tx) => {
      await tx.run(say, ['regretted'])
      throw new Error('changed my mind')
    })
    await assert.rejects(broken, /changed my mind/)
    assert.deepEqual(await wordsSaid(), saidBefore)
  })

  test('what is said when a transaction has ended is refused, and nothing of it is run', async () => {
    const saidBefore = await wordsSaid()
    const kept: Tx[] = []
    const broken = db().inTransaction(async (tx) => {
      kept.push(tx)
      await tx.run(say, ['early'])
      throw new Error('given up')
    })
    await assert.rejects(broken, /given up/)
    for (const tx of kept) await assert.rejects(tx.run(say, ['late']), /says nothing more/)
    assert.deepEqual(await wordsSaid(), saidBefore)
  })

  test('work that gives up while a statement fails leaves no transaction behind', async () => {
    const saidBefore = await wordsSaid()
    const broken = db().inTransaction(async (tx) => {
      await tx.run(say, ['before'])
      tx.run(fail, [0]).catch(() => undefined)
      throw new Error('given up')
    })
    await assert.rejects(broken, /given up/)
    assert.deepEqual(await wordsSaid(), saidBefore)
    await db().inTransaction((tx) => tx.run(double, [1]))
  })

  test('a row that cannot be read fails its statement and nothing else', async () => {
    const endless = statement('talk_endless', [], { on: date }, `select 'infinity'::date as on`)
    await assert.rejects(db().run(endless, []), RangeError)
    assert.deepEqual(await db().run(double, [1]), [{ n: 2, none: null }])
  })

  test('a server that falls silent is given up, and so is who waits behind', async () => {
    const pids = await db().run(backend, [])
    const [{ pid } = assert.fail('there is a backend')] = pids
    const asleep = statement('talk_asleep', [], { at: text }, `select pg_sleep(30)::text as at`)
    const quick = openDatabase(database().connection, {
      sizeMax: 1,
      onIdleError: () => undefined,
      isForBatches: true,
      silenceMsMax: 1_000,
    })
    await assert.rejects(quick.run(asleep, []), DatabaseUnavailable)
    assert.notEqual((await quick.run(backend, []))[0]?.pid, pid)
    await quick.close()
  })

  test('a transaction whose failure was swallowed does not pass for committed', async () => {
    const swallowed = db().inTransaction(async (tx) => {
      await tx.run(fail, [0]).catch(() => undefined)
    })
    await assert.rejects(swallowed, /division by zero/)
  })

  test('a lone statement that fails leaves the connection usable', async () => {
    await assert.rejects(db().run(fail, [0]), /division by zero/)
    assert.deepEqual(await db().run(fail, [1]), [{ n: 1 }])
  })

  test('a connection that the server ends is told as such and replaced', async () => {
    const lost = db().inTransaction(async (tx) => {
      const [row] = await tx.run(backend, [])
      await database().db.run(kill, [row?.pid ?? 0])
      return tx.run(double, [1])
    })
    await assert.rejects(lost, DatabaseUnavailable)
    assert.deepEqual(await db().run(double, [5]), [{ n: 10, none: null }])
  })
})
