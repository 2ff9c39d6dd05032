import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test, type TestContext } from 'node:test'
import { saleOf } from './bank-talk.ts'
import type { Reply } from './bank-request.ts'
import { openFileLog } from './file-log.ts'
import { type BankAddress, type LinkRequest, parseReply, printRequest } from './link-protocol.ts'
import { type BankProcess, startBankProcess } from './start-bank-process.ts'

async function freshFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-bank-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function startIn(t: TestContext, folder: string): Promise<BankProcess> {
  const bank = await startBankProcess({
    logFile: join(folder, 'bank.log'),
    listen: join(folder, 'bank.sock'),
  })
  t.after(() => bank.kill())
  return bank
}

// Asks without waiting for one answer before the next question; ends with the line.
async function askAll(
  address: BankAddress,
  requests: readonly LinkRequest[],
  onReply: (reply: Reply) => void,
) {
  const socket = connect(address)
  socket.on('error', () => undefined)
  socket.write(requests.map(printRequest).join(''))
  const lines = createInterface({ input: socket })
  lines.on('line', (line) => {
    const reply = parseReply(line)
    if (reply) onReply(reply)
  })
  await once(socket, 'close')
}

test('after kill -9 in the middle of its work, the bank knows everything that it had answered', async (t) => {
  const folder = await freshFolder(t)
  const answered = new Map<string, Reply>()
  for (const round of [1, 2, 3]) {
    const bank = await startIn(t, folder)
    const sales = Array.from({ length: 400 }, (_, at) => saleOf({ ref: `${round}-${at}`, minor: BigInt(at) }))
    const killed: Promise<void>[] = []
    await askAll(bank.address, sales, (reply) => {
      answered.set(reply.ref, reply)
      if (answered.size >= round * 50 && killed.length === 0) killed.push(bank.kill())
    })
    assert.equal(killed.length, 1, 'it was killed at work')
    await killed[0]
  }
  const log = await openFileLog(join(folder, 'bank.log'))
  const rows = await log.read({ last: 10_000 })
  await log.close()
  const known = new Map(rows.map((row) => [row.ref, row.reply]))
  for (const [ref, reply] of answered) assert.deepEqual(known.get(ref), reply)
  assert.equal(known.size, rows.length)

  const bank = await startIn(t, folder)
  const repeated: Reply[] = []
  const [one] = answered.values()
  assert(one)
  const again = Array.from({ length: 400 }, (_, at) => saleOf({ ref: `1-${at}`, minor: BigInt(at) }))
  await askAll(
    bank.address,
    again.filter(({ ref }) => ref === one.ref),
    (reply) => {
      repeated.push(reply)
      void bank.stop()
    },
  )
  assert.deepEqual(repeated, [one])
})

test('the process ends when it is told to, and when its starter is gone', async (t) => {
  const folder = await freshFolder(t)
  const bank = await startIn(t, folder)
  assert.deepEqual(bank.address, { path: join(folder, 'bank.sock') })
  await bank.addFault({ ref: 'r1', delivery: { losesRequest: true, hangsUp: true } })
  const heard: Reply[] = []
  await askAll(bank.address, [saleOf({ ref: 'r1' })], (reply) => heard.push(reply))
  await bank.clearFaults()
  await bank.setChaos(null)
  await askAll(bank.address, [saleOf({ ref: 'r2' })], (reply) => {
    heard.push(reply)
    void bank.stop()
  })
  assert.deepEqual(
    heard.map(({ ref }) => ref),
    ['r2'],
  )
  assert.doesNotMatch(await readFile(join(folder, 'bank.log'), 'utf8'), /4111111111111111/)

  const other = await startBankProcess({ logFile: join(folder, 'other.log'), listen: 0 })
  assert.ok('port' in other.address && other.address.port > 0)
  await other.leave()
  assert.throws(() => process.kill(other.processId, 0))
})
