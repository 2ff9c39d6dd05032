import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Bank, type BankOptions } from './bank.ts'
import { dollars, saleOf, talk } from './bank-talk.ts'
import type { BankRequest, Reply } from './bank-request.ts'
import { openMemoryLog } from './memory-log.ts'
import { VirtualTime } from './virtual-time.ts'

function stage(options: Partial<BankOptions> = {}) {
  const time = new VirtualTime()
  const bank = new Bank({ log: openMemoryLog(), clock: time, scheduler: time, ...options })
  const ask = async (request: BankRequest) => {
    const [reply] = (await talk(bank, request)) as Reply[]
    assert(reply, 'the bank answers')
    return reply
  }
  const outcomes = async (...requests: readonly BankRequest[]) => {
    const heard: string[] = []
    for (const request of requests) {
      const { outcome, code } = await ask(request)
      heard.push(outcome === 'declined' ? code : outcome)
    }
    return heard
  }
  return { time, bank, ask, outcomes }
}

const inquiry = (ref: string): BankRequest => ({ verb: 'inquire', ref })
const reversal = (ref: string): BankRequest => ({ verb: 'reverse', ref })
const refund = (ref: string, original: string, minor: bigint): BankRequest => {
  return { verb: 'refund', ref, original, amount: dollars(minor) }
}
const batch = (
  ref: string,
  items: readonly (readonly [string, bigint, boolean?])[],
  terminalId = 'T1',
): BankRequest => ({
  verb: 'settle',
  number: 1,
  ref,
  terminalId,
  items: items.map(([item, minor, isCredit = false]) => ({ ref: item, amount: dollars(minor), isCredit })),
})

test('approval codes and network ids follow from the reference and the seed alone', async () => {
  const [one, again, other] = await Promise.all(
    ['a', 'a', 'b'].map((seed) => stage({ seed }).ask(saleOf({ ref: 'r1' }))),
  )
  assert.match(one?.approvalCode ?? '', /^[A-Z0-9]{6}$/)
  assert.match(one?.networkId ?? '', /^N[A-Z0-9]{14}$/)
  assert.deepEqual(one, again)
  assert.notEqual(one?.approvalCode, other?.approvalCode)
})

test('a repeated reference gets the first answer, and a changed request under it is refused', async () => {
  const { ask, bank } = stage()
  const first = await ask(saleOf({ ref: 'r1' }))
  assert.deepEqual(await ask(saleOf({ ref: 'r1' })), first)
  const changed = await ask(saleOf({ ref: 'r1', minor: 2_000n }))
  assert.deepEqual([changed.outcome, changed.code], ['declined', '94'])
  const rows = await bank.log.read({ last: 10 })
  assert.deepEqual(
    rows.map(({ isRepeat, sequence }) => [isRepeat, sequence]),
    [
      [true, 3n],
      [true, 2n],
      [false, 1n],
    ],
  )
})

test('a lost answer is told when the reference is asked for again', async () => {
  const { ask, bank } = stage()
  assert.deepEqual(await talk(bank, saleOf({ ref: 'r1', minor: 990_068n })), [])
  assert.equal((await ask(saleOf({ ref: 'r1', minor: 990_068n }))).outcome, 'approved')
})

test('a reversal closes its reference, whether the original came before or comes after', async () => {
  const { outcomes } = stage()
  assert.deepEqual(
    await outcomes(
      saleOf({ ref: 'r1' }),
      reversal('r1'),
      reversal('r1'),
      saleOf({ ref: 'r1' }),
      inquiry('r1'),
      inquiry('r2'),
      reversal('r2'),
      saleOf({ ref: 'r2' }),
      inquiry('r2'),
    ),
    ['approved', 'reversed', 'reversed', '94', 'reversed', 'not_found', 'reversed', '94', 'reversed'],
  )
})

test('a reversed decline stays a decline', async () => {
  const { outcomes } = stage()
  const declined = saleOf({ ref: 'r1', number: '4000000000000002' })
  assert.deepEqual(await outcomes(declined, reversal('r1'), declined, inquiry('r1')), [
    '05',
    'reversed',
    '05',
    '05',
  ])
})

test('refunds never exceed what was approved', async () => {
  const { outcomes } = stage()
  assert.deepEqual(
    await outcomes(
      saleOf({ ref: 's', minor: 990_010n }),
      refund('f1', 's', 495_006n),
      refund('f2', 's', 495_000n),
      refund('f2', 's', 495_000n),
      refund('f3', 's', 6n),
      refund('f4', 's', 5n),
      refund('f5', 's', 1n),
      refund('f6', 'nobody', 1n),
      reversal('s'),
      inquiry('f2'),
    ),
    ['approved', '13', 'approved', 'approved', '13', 'approved', '13', '25', 'refused', 'approved'],
  )
})

test('what was reversed or declined cannot be refunded', async () => {
  const { outcomes } = stage()
  const declined = saleOf({ ref: 'd', number: '4000000000000002' })
  assert.deepEqual(
    await outcomes(
      saleOf({ ref: 's' }),
      reversal('s'),
      refund('f1', 's', 1n),
      declined,
      refund('f2', 'd', 1n),
    ),
    ['approved', 'reversed', '12', '05', '12'],
  )
})

test('a batch is accepted once, as a whole, with what stands', async () => {
  const { outcomes, ask } = stage()
  await outcomes(
    saleOf({ ref: 's1' }),
    saleOf({ ref: 's2' }),
    saleOf({ ref: 's3' }),
    refund('f1', 's1', 300n),
  )
  await outcomes(reversal('s3'))
  assert.deepEqual(
    await outcomes(
      batch('b1', [['s1', 1_001n]]),
      batch('b2', [
        ['s1', 1_000n],
        ['s1', 1_000n],
      ]),
      batch('b3', [
        ['s1', 1_000n],
        ['s3', 1_000n],
      ]),
      batch('b4', [
        ['s1', 1_000n],
        ['nobody', 1n],
      ]),
      batch('b5', [['s1', 1_000n]], 'REJECT-1'),
    ),
    ['95', '95', '95', '95', '95'],
  )
  const accepted = await ask(
    batch('b6', [
      ['s1', 1_000n],
      ['f1', 300n, true],
    ]),
  )
  assert.deepEqual([accepted.outcome, accepted.approvedMinor, accepted.currency], ['approved', 700n, 'USD'])
  assert.deepEqual(
    await outcomes(
      batch('b6', [
        ['s1', 1_000n],
        ['f1', 300n, true],
      ]),
      batch('b6', [['s2', 1_000n]]),
      batch('b7', [
        ['s1', 1_000n],
        ['s2', 1_000n],
      ]),
      reversal('s1'),
      batch('b8', [['s2', 1_000n]]),
      inquiry('b8'),
    ),
    ['approved', '94', '95', 'refused', 'approved', 'approved'],
  )
})

test('the card that refuses twice does so even when it is asked three times at once', async () => {
  const { ask } = stage()
  const wishes = ['a', 'b', 'c', 'd'].map((ref) => ask(saleOf({ ref, number: '4000000000009268' })))
  assert.deepEqual(
    (await Promise.all(wishes)).map(({ code }) => code),
    ['51', '51', '00', '51'],
  )
})

test('the chargeback of .40 is remembered for three days later', async () => {
  const { ask, bank, time } = stage()
  await ask(saleOf({ ref: 'r1', minor: 990_040n }))
  const [standing] = await Array.fromAsync(bank.log.report(time.now(), time.now().add({ hours: 1 })))
  assert.equal(standing?.chargebackAt?.toString(), '2027-01-18T10:00:00Z')
})

test('neither card number nor security code reach the log', async () => {
  const { ask, bank } = stage()
  await ask(saleOf({ ref: 'r1' }))
  const rows = await bank.log.read({ last: 10 })
  const text = JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  assert.match(text, /"firstSix":"411111","lastFour":"1111"/)
  assert.doesNotMatch(text, /4111111111111111|\b987\b/)
})

test('faults strike what they name, as often as they say', async () => {
  const { bank, outcomes, time } = stage()
  bank.faults.add({ ref: 'r1', verb: 'authorize', times: 1, delivery: { losesRequest: true, hangsUp: true } })
  assert.deepEqual(await talk(bank, saleOf({ ref: 'r1' })), ['broke'])
  assert.deepEqual(await outcomes(inquiry('r1'), saleOf({ ref: 'r1' })), ['not_found', 'approved'])

  bank.faults.add({ ref: 'r2', verb: 'authorize', delivery: { losesAnswer: true, inquiryLagMs: 5_000 } })
  assert.deepEqual(await talk(bank, saleOf({ ref: 'r2' })), [])
  assert.deepEqual(await outcomes(inquiry('r2')), ['not_found'])
  time.advance(5_000)
  assert.deepEqual(await outcomes(inquiry('r2')), ['approved'])

  bank.faults.add({ ref: 'r3', verb: 'reverse', times: 1, delivery: { losesAnswer: true } })
  assert.deepEqual(await talk(bank, reversal('r3')), [])
  assert.deepEqual(await outcomes(inquiry('r3')), ['reversed'])
})

test('an original that arrives after its reversal is refused', async () => {
  const { bank, outcomes, time } = stage()
  bank.faults.add({ verb: 'authorize', times: 1, delivery: { arrivesAfterMs: 1_000 } })
  const heard = await talk(bank, saleOf({ ref: 'r1' }))
  assert.deepEqual(await outcomes(inquiry('r1'), reversal('r1')), ['not_found', 'reversed'])
  time.advance(1_000)
  await outcomes(inquiry('r1'))
  assert.equal((heard as Reply[])[0]?.code, '94')
})

test('two swapped answers reach each other’s callers', async () => {
  const { bank } = stage()
  bank.faults.add({ verb: 'authorize', delivery: { swapsAnswer: true } })
  const one = await talk(bank, saleOf({ ref: 'r1' }))
  const two = await talk(bank, saleOf({ ref: 'r2' }))
  assert.deepEqual([(one as Reply[])[0]?.ref, (two as Reply[])[0]?.ref], ['r2', 'r1'])
})

async function draw(seed: string): Promise<string> {
  const { bank, time } = stage()
  bank.faults.setChaos({
    seed,
    draws: [
      { perMille: 300, delivery: { losesRequest: true } },
      { perMille: 300, delivery: { answersAfterMs: 50 } },
    ],
  })
  const heard = await Promise.all(
    Array.from({ length: 60 }, (_, at) => talk(bank, saleOf({ ref: `r${at}` }))),
  )
  const before = heard.map(({ length }) => length)
  bank.close()
  time.advance(60_000)
  assert.deepEqual(
    heard.map(({ length }) => length),
    before,
  )
  return before.join('')
}

test('drawn faults depend on the seed alone, and a closed bank says nothing more', async () => {
  assert.equal(await draw('x'), await draw('x'))
  assert.notEqual(await draw('x'), await draw('y'))
})

test('a log that cannot be written breaks the line', async () => {
  const faults: unknown[] = []
  const log = { ...openMemoryLog(), file: () => Promise.reject(new Error('the disk is full')) }
  const { bank } = stage({ log, onFault: (error) => faults.push(error) })
  assert.deepEqual(await talk(bank, saleOf({ ref: 'r1' })), ['broke'])
  assert.equal(faults.length, 1)
})
