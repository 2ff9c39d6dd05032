import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseBatch } from '#capabilities/settlement/release-batch.operation.ts'
import type { ReportLine } from '#engine/acquirers/acquirer.ts'
import { Crash, type CrashPoint } from '#engine/payments/payment-needs.ts'
import { int8, text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { impatient } from '../../../test/support/consent-world.ts'
import { debit } from '../../../test/support/bank-world.ts'
import { backUp, everythingOf } from '../../../test/support/restored-database.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { openTill, sell, settleAll, settleSome, type Till, useTerminal } from '../../../test/support/till.ts'

const world = useWorld()

const newestStatement = statement(
  'test_newest_batch',
  [int8],
  { batch_id: int8, state: text },
  `select batch_id, state from batch where account_id = $1 order by batch_id desc limit 1`,
)
const raiseStatement = statement(
  'test_raise_sale',
  [int8],
  {},
  `update attempt set approved_minor = approved_minor + 1 where attempt_id = $1`,
)

async function newestOf({ needs, account }: Till) {
  const [row] = await needs.db.run(newestStatement, [account.accountId])
  assert(row)
  return row
}

async function refusal(till: Till, needs: World = till.needs): Promise<string> {
  const { batch_id: batch } = await newestOf(till)
  const wish = { account: till.account.accountId, batch, reason: 'Restored', operator: 'olga' }
  const told = await releaseBatch(needs, wish)
  return told.ok ? 'released' : String(told.refusal.details['problem'] ?? told.refusal.kind)
}

// Refused, and nothing has changed.
async function assertRefused(till: Till, expected: string | RegExp, needs: World = till.needs) {
  const before = await everythingOf(till)
  const told = await refusal(till, needs)
  if (typeof expected === 'string') assert.equal(told, expected)
  else assert.match(told, expected)
  assert.equal(await everythingOf(till), before)
}

// A till whose first sale the acquirer has settled in a batch that is forgotten here; the second one it has
// not.
async function openStuckTill() {
  const till = await openTill(world())
  const first = await sell(till, 10)
  const restore = await backUp(till)
  await settleAll(till)
  await restore()
  const second = await sell(till, 20)
  assert.equal((await settleAll(till)).batch['Code'], 'F')
  return { till, first, second }
}

function reporting({ needs }: Till, change: (line: ReportLine) => readonly ReportLine[]): World {
  const { acquirer: bank } = needs
  const acquirer: typeof bank = {
    ...bank,
    async *report(from, to) {
      for await (const line of bank.report(from, to)) yield* change(line)
    },
  }
  return { ...needs, acquirer }
}

async function refOf({ needs }: Till, id: number): Promise<string> {
  const attempt = await needs.db.run(refStatement, [BigInt(id)])
  return attempt[0]?.acquirer_ref ?? ''
}
const refStatement = statement(
  'test_ref_of_attempt',
  [int8],
  { acquirer_ref: text },
  `select acquirer_ref from attempt where attempt_id = $1`,
)

function mortal({ needs }: Till, dieAt: CrashPoint): World {
  const crashpoint = (point: CrashPoint) => {
    if (point === dieAt) throw new Crash(point)
  }
  return { ...needs, crashpoint }
}

test('a batch that is accepted is not released', async () => {
  const till = await openTill(world())
  await sell(till, 10)
  await settleAll(till)
  await assertRefused(till, 'it is accepted, and only a rejected one is released')
})

test('a batch whose outcome is not known is not released', async () => {
  const patient = await openTill(world())
  const till = { ...patient, needs: impatient(patient.needs) }
  await sell(till, 10)
  till.needs.bank.faults.add({ verb: 'settle', times: 1, delivery: { losesAnswer: true } })
  assert.equal((await settleAll(till)).code, 6403)
  await assertRefused(till, 'it is unknown, and only a rejected one is released')
})

for (const [point, state] of [
  ['batch_closed', 'closing'],
  ['batch_marked_sent', 'sent'],
] as const) {
  test(`a batch whose holder died while it was ${state} is not released`, async () => {
    const till = await openTill(world())
    await sell(till, 10)
    await assert.rejects(settleAll({ ...till, needs: mortal(till, point) }), Crash)
    till.needs.clock.advance({ minutes: 2 })
    await assertRefused(till, `it is ${state}, and only a rejected one is released`)
  })
}

test('a batch that somebody holds is not released', async () => {
  const { till } = await openStuckTill()
  await assert.rejects(settleAll({ ...till, needs: mortal(till, 'batch_closed') }), Crash)
  await assertRefused(till, 'somebody is settling it at this moment')
  till.needs.clock.advance({ minutes: 2 })
  assert.equal(await refusal(till), 'released')
})

test('a batch that never left is not released', async () => {
  const till = await openTill(world())
  await debit(till)
  const hold = { kind: 'paused', because: 'this database was restored' } as const
  await settleAll({ ...till, needs: { ...till.needs, sending: { hold } } })
  await assertRefused(till, 'it did not reach the acquirer when it was sent last: settle again')
})

test('while sending is held no batch is released', async () => {
  const { till } = await openStuckTill()
  const hold = { kind: 'paused', because: 'this database was restored' } as const
  const words = 'nothing may be decided while sending is held: this database was restored'
  await assertRefused(till, words, { ...till.needs, sending: { hold } })
})

test('the batch of another account is not found', async () => {
  const { till } = await openStuckTill()
  const other = await openTill(till.needs)
  const { batch_id: batch } = await newestOf(till)
  const wish = { account: other.account.accountId, batch, reason: 'Restored', operator: 'olga' }
  const told = await releaseBatch(till.needs, wish)
  assert.equal(told.ok ? 'released' : told.refusal.kind, 'batch_not_found')
})

test('a batch that the acquirer may still accept is not released', async () => {
  const till = await openTill(world())
  await sell(till, 10)
  await useTerminal(till, 'REJECT')
  await settleAll(till)
  await assertRefused(
    till,
    'the acquirer has none of its transactions in another batch, has reversed none, and may still accept it',
  )
})

test('a batch that the acquirer has accepted since is not released', async () => {
  const till = await openTill(world())
  await sell(till, 10)
  await useTerminal(till, 'REJECT')
  const restoreTo = await settleAll(till).then(() => backUp(till))
  await useTerminal(till, 'T1')
  await settleAll(till)
  await restoreTo()
  await assertRefused(till, 'the acquirer has accepted it: settle again')
  assert.equal((await settleAll(till)).isApproved, true)
})

test('a transaction with another amount at the acquirer is named, settled there or not', async () => {
  const { till, first, second } = await openStuckTill()
  for (const [id, here] of [
    [first, '10.00'],
    [second, '20.00'],
  ] as const) {
    const ref = await refOf(till, id)
    const needs = reporting(till, (line) => {
      const approved = line.approved && { ...line.approved, minor: 999n }
      return [line.ref === ref ? { ...line, approved } : line]
    })
    await assertRefused(
      till,
      `transaction ${id}: the acquirer has 9.99 USD, with us it is ${here} USD`,
      needs,
    )
  }
})

test('a transaction that the acquirer reports twice, or as something else, is named', async () => {
  const { till, first, second } = await openStuckTill()
  const ref = await refOf(till, second)
  const twice = reporting(till, (line) => (line.ref === ref ? [line, line] : [line]))
  await assertRefused(till, `transaction ${second}: the acquirer reports it twice`, twice)
  const other = reporting(till, (line) => [{ ...line, kind: 'refund' }])
  await assertRefused(till, `transaction ${first}: the acquirer reports it as a refund`, other)
})

test('a transaction that the report leaves out is named, with what an inquiry tells', async () => {
  const { till, second } = await openStuckTill()
  const ref = await refOf(till, second)
  const needs = reporting(till, (line) => (line.ref === ref ? [] : [line]))
  const unsure = "the acquirer's report leaves it out, so nobody knows whether it is settled"
  await assertRefused(till, `transaction ${second}: ${unsure}`, needs)
  const answers = [
    ['reversed', /has reversed it, and its report leaves it out$/],
    ['not_found', /does not know it$/],
    ['unknown', /does not answer$/],
  ] as const
  for (const [kind, expected] of answers) {
    const { acquirer: bank } = needs
    const acquirer: typeof bank = {
      ...bank,
      inquire: async (asked, signal) => {
        if (asked !== ref) return bank.inquire(asked, signal)
        return kind === 'unknown' ? { kind, because: 'timeout' } : { kind }
      },
    }
    await assertRefused(till, expected, { ...needs, acquirer })
  }
})

test('nothing is decided while the acquirer is silent, or its report breaks off', async () => {
  const { till } = await openStuckTill()
  const { acquirer: bank } = till.needs
  const mute: typeof bank = { ...bank, inquire: async () => ({ kind: 'unknown', because: 'timeout' }) }
  await assertRefused(till, 'the acquirer does not answer', { ...till.needs, acquirer: mute })
  const broken: typeof bank = {
    ...bank,
    async *report(from, to) {
      yield* bank.report(from, to)
      throw new Error("The bank's report broke off")
    },
  }
  await assertRefused(till, 'the acquirer does not answer', { ...till.needs, acquirer: broken })
})

test('a batch that the report names and the acquirer has not accepted stops the release', async () => {
  const { till } = await openStuckTill()
  const needs = reporting(till, (line) => [line.settledIn === '' ? line : { ...line, settledIn: 'none' }])
  await assertRefused(till, /in the batch with reference none, and has not accepted that$/, needs)
})

test('a transaction that belongs to a batch which was closed and accepted here is named', async () => {
  const till = await openTill(world())
  const [first, second] = [await sell(till, 10), await sell(till, 20)]
  await settleSome(till, [first])
  const restore = await backUp(till)
  await settleSome(till, [second])
  await restore()
  assert.equal((await settleAll(till)).batch['Code'], 'F')
  const line = (await Array.fromAsync(reportOf(till))).find(({ settledIn }) => settledIn !== '')
  assert(line)
  const needs = reporting(till, (one) => [{ ...one, settledIn: line.settledIn }])
  await assertRefused(till, /settled it in batch 1 \(id \d+\), which is accepted here without it$/, needs)
})

function reportOf({ needs }: Till): AsyncIterable<ReportLine> {
  const now = needs.clock.now()
  return needs.acquirer.report(now.subtract({ hours: 1 }), now.add({ hours: 1 }))
}

test('a batch whose rows were changed by hand is not released', async () => {
  const { till, second } = await openStuckTill()
  await till.needs.db.run(raiseStatement, [BigInt(second)])
  await assertRefused(till, 'its transactions are not what was sent')
})

test('a transaction that the books tell differently is named, and nothing is half done', async () => {
  const till = await openTill(world())
  const [first, second] = [await sell(till, 10), await sell(till, 20)]
  const restore = await backUp(till)
  await settleAll(till)
  await restore()
  assert.equal((await settleSome(till, [first])).batch['Code'], 'F')
  await till.needs.db.run(raiseStatement, [BigInt(second)])
  const ref = await refOf(till, second)
  const needs = reporting(till, (line) => {
    const approved = line.approved && { ...line.approved, minor: 2_001n }
    return [line.ref === ref ? { ...line, approved } : line]
  })
  await assertRefused(till, `the books do not agree with transaction ${second}`, needs)
})
