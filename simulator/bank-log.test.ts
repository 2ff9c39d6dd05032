import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { useTestDatabase } from '../test/support/test-database.ts'
import { Bank } from './bank.ts'
import type { BankLog, LogRow } from './bank-log.ts'
import { dollars, saleOf, talk } from './bank-talk.ts'
import type { BankRequest } from './bank-request.ts'
import { openFileLog } from './file-log.ts'
import { openMemoryLog } from './memory-log.ts'
import { openPostgresLog } from './postgres-log.ts'
import { VirtualTime } from './virtual-time.ts'
import { withClient } from '../test/support/with-client.ts'

const database = useTestDatabase()

async function freshFile(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-bank-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'bank.log')
}

const refs = fc.constantFrom('a', 'b', 'c')
const request: fc.Arbitrary<BankRequest> = fc.oneof(
  fc
    .record({ ref: refs, minor: fc.constantFrom(1_000n, 990_051n, 990_010n, 0n) })
    .map((wish) => saleOf({ ...wish, number: '4242424242424242' })),
  fc.record({ ref: refs }).map(({ ref }) => saleOf({ ref, number: '4000000000009268' })),
  refs.map((ref): BankRequest => ({ verb: 'reverse', ref })),
  refs.map((ref): BankRequest => ({ verb: 'inquire', ref })),
  fc
    .record({ ref: refs, original: refs, minor: fc.constantFrom(400n, 700n) })
    .map(({ ref, original, minor }): BankRequest => ({
      verb: 'refund',
      ref,
      original,
      amount: dollars(minor),
    })),
  fc.record({ ref: refs, item: refs }).map(({ ref, item }): BankRequest => {
    return {
      verb: 'settle',
      number: 1,
      ref,
      terminalId: 'T1',
      items: [{ ref: item, amount: dollars(1_000n), isCredit: false }],
    }
  }),
)

// References are made unlike those of other runs, so that one database serves all of them.
function relabel(asked: BankRequest, run: number): BankRequest {
  const named = (ref: string) => `${ref}-${run}`
  if (asked.verb === 'refund') return { ...asked, ref: named(asked.ref), original: named(asked.original) }
  if (asked.verb !== 'settle') return { ...asked, ref: named(asked.ref) }
  return {
    ...asked,
    ref: named(asked.ref),
    items: asked.items.map((item) => ({ ...item, ref: named(item.ref) })),
  }
}

function bankOn(log: BankLog): Bank {
  const time = new VirtualTime()
  return new Bank({ log, clock: time, scheduler: time })
}

// The state that an outsider can see, without what differs between logs by chance.
function visible(rows: readonly LogRow[]): unknown {
  return rows.map(({ card, ...row }) => {
    return { ...row, sequence: null, at: row.at.toString(), lastFour: card?.lastFour }
  })
}

test('whatever is asked, a reference is approved once and never after its reversal', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 25 }), async (asked) => {
      const log = openMemoryLog()
      const bank = bankOn(log)
      for (const one of asked) await talk(bank, one)
      const rows = (await log.read({ last: 1_000 })).toReversed()
      for (const ref of ['a', 'b', 'c']) {
        const mine = rows.filter((row) => row.ref === ref)
        const moving = mine.filter(({ verb, reply }) => verb !== 'inquire' && reply.outcome === 'approved')
        assert.ok(moving.filter(({ isRepeat }) => !isRepeat).length <= 1)
        const reversedAt = mine.findIndex(({ reply }) => reply.outcome === 'reversed')
        // A batch is no charge: one that was declined is judged anew, whatever was reversed under its name.
        const charges = mine.slice(reversedAt).filter(({ verb }) => verb !== 'settle')
        const later = reversedAt === -1 ? [] : charges
        assert.ok(later.every(({ reply }) => reply.outcome !== 'approved'))
      }
    }),
    { numRuns: 400 },
  )
})

test('memory, file and PostgreSQL give the same answers, and a file gives them again', async (t) => {
  const path = await freshFile(t)
  const stored = await openPostgresLog(database().connection)
  t.after(() => stored.close())
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 25 }), async (asked) => {
      run += 1
      const relabelled = asked.map((one) => relabel(one, run))
      await rm(path, { force: true })
      const written = await openFileLog(path)
      const answers = await Promise.all(
        [openMemoryLog(), written, stored].map(async (log) => {
          const heard: unknown[] = []
          const bank = bankOn(log)
          // The card that refuses twice remembers what other runs did to it, in the database alone.
          for (const one of relabelled.filter(isForgetful)) heard.push(await talk(bank, one))
          return { heard, rows: visible(await log.read({ last: heard.length || 1 })) }
        }),
      )
      if (relabelled.some(isForgetful)) {
        assert.deepEqual(answers[1], answers[0])
        assert.deepEqual(answers[2], answers[0])
      }
      await written.close()
      const reopened = await openFileLog(path)
      assert.deepEqual(
        visible(await reopened.read({ last: 1_000 })),
        visible(await written.read({ last: 1_000 })),
      )
      await reopened.close()
    }),
    { numRuns: 60 },
  )
})

function isForgetful(asked: BankRequest): boolean {
  return asked.verb !== 'authorize' || asked.card.number.lastFour !== '9268'
}

test('a torn last line is dropped, and everything before it stands', async (t) => {
  const path = await freshFile(t)
  const first = await openFileLog(path)
  await talk(bankOn(first), saleOf({ ref: 'r1' }))
  await talk(bankOn(first), { verb: 'reverse', ref: 'r2' })
  await first.close()
  await appendFile(path, '{"verb":"authorize","ref":"r3","at":"2027-')
  const second = await openFileLog(path)
  assert.deepEqual(second.key, first.key)
  const bank = bankOn(second)
  const [again] = await talk(bank, saleOf({ ref: 'r1' }))
  const [closed] = await talk(bank, saleOf({ ref: 'r2' }))
  const [torn] = await talk(bank, { verb: 'inquire', ref: 'r3' })
  assert.deepEqual(
    [again, closed, torn].map((reply) => (reply as { outcome: string }).outcome),
    ['approved', 'declined', 'not_found'],
  )
  await second.close()
  const text = await readFile(path, 'utf8')
  assert.ok(
    text.endsWith('}\n') &&
      text
        .trimEnd()
        .split('\n')
        .every((line) => typeof JSON.parse(line) === 'object'),
  )
  assert.doesNotMatch(text, /4111111111111111/)
})

test('two banks on one schema share its key and take a reference once, also at the same time', async (t) => {
  const logs = await Promise.all([1, 2, 3].map(() => openPostgresLog(database().connection)))
  t.after(() => Promise.all(logs.map((log) => log.close())))
  assert.equal(new Set(logs.map(({ key }) => key.toString('hex'))).size, 1)
  const banks = logs.map(bankOn)
  const all = Array.from({ length: 40 }, (_, at) => `shared-${at}`).flatMap((ref, at) =>
    banks.map(async (bank, which) => {
      const asked: BankRequest = (at + which) % 3 === 0 ? { verb: 'reverse', ref } : saleOf({ ref })
      return talk(bank, asked)
    }),
  )
  await Promise.all(all)
  const client = new pg.Client(database().connection)
  await client.connect()
  t.after(() => client.end())
  const { rows } = await client.query(`
    select ref from bank.request
    where ref like 'shared-%' and verb = 'authorize' and outcome = 'approved' and not is_repeat
    group by ref having count(*) > 1`)
  assert.deepEqual(rows, [])
  const { rows: after } = await client.query(`
    select approval.ref from bank.request reversal join bank.request approval using (ref)
    where ref like 'shared-%' and reversal.verb = 'reverse' and approval.outcome = 'approved'
      and approval.sequence > reversal.sequence`)
  assert.deepEqual(after, [])
  const { rows: open } = await client.query(`
    select ref from bank.standing where ref like 'shared-%' and reversed_at is null`)
  assert.deepEqual(open, [])
})

test('refunds of one sale at the same time never exceed it', async (t) => {
  const log = await openPostgresLog(database().connection)
  t.after(() => log.close())
  const bank = bankOn(log)
  await talk(bank, saleOf({ ref: 'much-refunded' }))
  const heard = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      talk(bank, { verb: 'refund', ref: `much-${at}`, original: 'much-refunded', amount: dollars(150n) }),
    ),
  )
  assert.equal(heard.filter(([reply]) => (reply as { outcome: string }).outcome === 'approved').length, 6)
})

test('many authorizations at once share their writes', async (t) => {
  const log = await openPostgresLog(database().connection)
  t.after(() => log.close())
  const bank = bankOn(log)
  const heard = await Promise.all(
    Array.from({ length: 2_000 }, (_, at) => talk(bank, saleOf({ ref: `many-${at}` }))),
  )
  assert.ok(heard.every(([reply]) => (reply as { outcome: string }).outcome === 'approved'))
  const rows = await log.read({ last: 3_000, ref: 'many-1999' })
  assert.equal(rows.length, 1)
})

test('the report gives what came in between two moments, in the order it came', async (t) => {
  const log = await openPostgresLog(database().connection)
  t.after(() => log.close())
  const time = new VirtualTime('2028-02-01T00:00:00Z')
  const bank = new Bank({ log, clock: time, scheduler: time })
  const from = time.now()
  await Promise.all(Array.from({ length: 1_200 }, (_, at) => talk(bank, saleOf({ ref: `told-${at}` }))))
  time.advance(1)
  await talk(bank, saleOf({ ref: 'too late' }))
  const lines = await Array.fromAsync(log.report(from, from.add({ milliseconds: 1 })))
  assert.equal(new Set(lines.map(({ ref }) => ref)).size, 1_200)
})

test('a log that an older bank has kept is completed and goes on', async () => {
  const { connection } = database()
  const first = await openPostgresLog(connection)
  const time = new VirtualTime()
  await talk(new Bank({ log: first, clock: time, scheduler: time }), saleOf({ ref: 'old' }))
  await first.close()
  await withClient(connection, async (client) => {
    await client.query('alter table bank.standing drop column advice')
    await client.query('alter table bank.request drop column advice')
  })
  const second = await openPostgresLog(connection)
  assert.equal((await second.read({ ref: 'old', last: 1 }))[0]?.reply.advice, '')
  await second.close()
})
