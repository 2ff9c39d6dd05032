import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { simulatorLinkAcquirer } from '#engine/acquirers/simulator-link.connector.ts'
import { simulatorAcquirer } from '#engine/acquirers/simulator.connector.ts'
import { acquirerConformance } from '../../../test/support/acquirer-conformance.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'
import { Bank } from '../../../simulator/bank.ts'
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
})
