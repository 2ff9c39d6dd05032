import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import type { AcquirerRef, DisputeLine } from '#engine/acquirers/acquirer.ts'
import { simulatorLinkAcquirer } from '#engine/acquirers/simulator-link.connector.ts'
import { simulatorAcquirer } from '#engine/acquirers/simulator.connector.ts'
import { acquirerConformance } from '../../../test/support/acquirer-conformance.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'
import { Bank } from '../../../simulator/bank.ts'
import { emptyReply } from '../../../simulator/bank-request.ts'
import { openMemoryLog } from '../../../simulator/memory-log.ts'
import { openPostgresLog } from '../../../simulator/postgres-log.ts'
import { type BankProcess, startBankProcess } from '../../../simulator/start-bank-process.ts'

const database = useTestDatabase()

acquirerConformance('the bank in the process, remembered by the process', async (t) => {
  const bank = new Bank({ log: openMemoryLog() })
  t.after(() => bank.close())
  return { acquirer: simulatorAcquirer({ bank }), addFault: async (rule) => bank.faults.add(rule) }
})

acquirerConformance('the bank in the process, remembered by PostgreSQL', async (t) => {
  const log = await openPostgresLog(database().connection)
  const bank = new Bank({ log })
  t.after(async () => {
    bank.close()
    await log.close()
  })
  return { acquirer: simulatorAcquirer({ bank }), addFault: async (rule) => bank.faults.add(rule) }
})

describe('a database that is away is not an acquirer that is silent', () => {
  const ref = 'r1' as AcquirerRef
  const ask = (file: () => Promise<never>, signal: AbortSignal) => {
    const bank = new Bank({ log: { ...openMemoryLog(), file } })
    return simulatorAcquirer({ bank }).inquire(ref, signal)
  }

  test('where the log of the bank cannot be written', async () => {
    const answer = await ask(() => Promise.reject(new Error('gone')), AbortSignal.any([]))
    assert.deepEqual(answer, { kind: 'unknown', because: 'link_down', isOurOwn: true })
  })

  test('where the log of the bank does not answer in time', async () => {
    const given = new AbortController()
    const asked = ask(() => new Promise(() => undefined), given.signal)
    given.abort()
    assert.deepEqual(await asked, { kind: 'unknown', because: 'timeout', isOurOwn: true })
  })
})

describe('over a line', () => {
  let folder = ''
  let bank: BankProcess | null = null

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillgate-link-'))
    bank = await startBankProcess({ logFile: join(folder, 'bank.log'), listen: join(folder, 'bank.sock') })
  })
  after(async () => {
    await bank?.kill()
    await rm(folder, { recursive: true, force: true })
  })

  acquirerConformance('the bank in a process of its own', async () => {
    assert(bank)
    return {
      acquirer: simulatorLinkAcquirer({ address: bank.address }),
      addFault: (rule) => bank?.addFault(rule) ?? Promise.reject(new Error('no bank')),
    }
  })

  test('a line that cannot be built has sent nothing', async () => {
    const acquirer = simulatorLinkAcquirer({ address: { path: join(folder, 'nobody.sock') } })
    const ref = 'r1' as AcquirerRef
    const nothing = { minor: 0n, currency: 'USD' } as never
    const refund = await acquirer.refund({ ref, original: ref, amount: nothing }, AbortSignal.timeout(5_000))
    assert.deepEqual(refund, { kind: 'not_sent' })
    assert.deepEqual(await acquirer.inquire(ref, AbortSignal.timeout(5_000)), {
      kind: 'unknown',
      because: 'link_down',
    })
    await assert.rejects(
      Array.fromAsync(
        acquirer.report(
          Temporal.Instant.from('2027-01-01T00:00Z'),
          Temporal.Instant.from('2027-01-02T00:00Z'),
        ),
      ),
    )
  })

  test('a line that is cut after the question leaves the outcome unknown', async (t) => {
    const server = createServer((socket) => socket.once('data', () => socket.destroy()))
    await new Promise<void>((resolve) => server.listen(join(folder, 'cutter.sock'), resolve))
    t.after(() => server.close())
    const acquirer = simulatorLinkAcquirer({ address: { path: join(folder, 'cutter.sock') } })
    const answer = await acquirer.reverse('r1' as AcquirerRef, AbortSignal.timeout(5_000))
    assert.deepEqual(answer, { kind: 'unknown', because: 'link_down' })
  })

  test('a bank says why a sale was taken back, when that is decided, and for whom', async (t) => {
    const said = { reasonCode: '13.1', decidedAt: '2027-02-01T10:00:00Z', isWon: true }
    const [line] = await disputesOf(t, `{${disputed('990040')},${JSON.stringify(said).slice(1)}`)
    assert.equal(line?.reasonCode, '13.1')
    assert.equal(line.closed?.at.toString(), '2027-02-01T10:00:00Z')
    assert.equal(line.closed.isWon, true)
  })

  for (const [minor, isWon] of [
    ['990040', false],
    ['990042', true],
  ] as const) {
    test(`an earlier bank that only says when ${minor} was taken back is understood`, async (t) => {
      const [line] = await disputesOf(t, `{${disputed(minor)}}`)
      assert.deepEqual(line && [line.ref, line.amount.minor, line.reasonCode], ['r1', BigInt(minor), '10.4'])
      assert.equal(line?.soldAt.toString(), '2027-01-15T10:00:00Z')
      assert.equal(line.openedAt.toString(), '2027-01-18T10:00:00Z')
      assert.deepEqual(line.closed && [line.closed.at.toString(), line.closed.isWon], [
        '2027-01-28T10:00:00Z',
        isWon,
      ])
    })
  }

  // What a bank that answers with this line is understood to say.
  async function disputesOf(t: TestContext, line: string): Promise<readonly DisputeLine[]> {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.once('data', () => socket.end(`${line}\n{"end":true}\n`))
    })
    const path = join(await mkdtemp(join(folder, 'teller-')), 'bank.sock')
    await new Promise<void>((resolve) => server.listen(path, resolve))
    t.after(() => server.close())
    const [from, to] = ['2027-01-01T00:00Z', '2027-02-01T00:00Z'].map((text) => Temporal.Instant.from(text))
    assert(from && to)
    return Array.fromAsync(simulatorLinkAcquirer({ address: { path } }).disputes(from, to))
  }
})

// The members of a dispute's line as banks have always written them.
function disputed(approvedMinor: string): string {
  const reply = { ...emptyReply('r1', 'approved', '00'), currency: 'USD', approvedMinor }
  const line = { ref: 'r1', reply, at: '2027-01-15T10:00:00Z', chargebackAt: '2027-01-18T10:00:00Z' }
  return JSON.stringify(line).slice(1, -1)
}
