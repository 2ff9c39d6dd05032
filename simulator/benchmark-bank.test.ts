import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Bank } from './bank.ts'
import { saleOf, talk } from './bank-talk.ts'
import { openMemoryLog } from './memory-log.ts'
import { VirtualTime } from './virtual-time.ts'

// The bank as a benchmark runs it: with a delay that is always the same, and with a memory that stays small.

test('a bank that usually takes its time answers neither sooner nor later', async () => {
  const time = new VirtualTime()
  const bank = new Bank({ log: openMemoryLog(), clock: time, scheduler: time, usualDelayMs: 20 })
  const answers: unknown[] = []
  const line = { say: (reply: unknown) => void answers.push(reply), hangUp: () => undefined }
  await bank.receive(saleOf({ ref: 'a' }), line)
  time.advance(19)
  assert.equal(answers.length, 0)
  time.advance(1)
  assert.equal(answers.length, 1)
})

test('a memory with a limit forgets what was written first', async () => {
  const bank = new Bank({ log: openMemoryLog({ standingsMax: 2 }) })
  for (const ref of ['a', 'b', 'c']) await talk(bank, saleOf({ ref }))
  const outcomeOf = async (ref: string) => {
    const [reply] = (await talk(bank, { verb: 'inquire', ref })) as { outcome: string }[]
    return reply?.outcome
  }
  assert.deepEqual([await outcomeOf('a'), await outcomeOf('c')], ['not_found', 'approved'])
})
