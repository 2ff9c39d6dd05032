import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { Acquirer, AcquirerRef, AuthorizeRequest } from '#engine/acquirers/acquirer.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { currencyCode } from '#kernel/currency.ts'
import type { Money } from '#kernel/money.ts'
import { Secret } from '#kernel/secret.ts'
import type { FaultRule } from '../../simulator/fault-script.ts'

// What every connector must pass, whatever it is connected to.

export type AcquirerStage = {
  readonly acquirer: Acquirer
  // Makes the line or the other side misbehave.
  readonly addFault: (rule: FaultRule) => Promise<void>
}

type MakeStage = (t: TestContext) => Promise<AcquirerStage>
type Step = (stage: AcquirerStage) => Promise<void>

const patience = (): AbortSignal => AbortSignal.timeout(20_000)
const terminal = { terminalId: 'T1', merchantName: 'Corner Books' }
const unknown = (because: string) => ({ kind: 'unknown', because })

function dollars(minor: bigint): Money {
  const currency = currencyCode('USD')
  assert(currency)
  return { minor, currency }
}

function isRef(text: string): text is AcquirerRef {
  return text !== ''
}

function sale(ref: AcquirerRef, minor = 1_000n, number = '4111111111111111'): AuthorizeRequest {
  const card = CardNumber.parse(number)
  assert(card)
  return {
    ref,
    card: {
      number: card,
      expiry: { month: 12, year: 2040 },
      securityCode: new Secret('123'),
      street: '1 Main Street',
      zip: '10001',
    },
    amount: dollars(minor),
    fee: dollars(0n),
    terminal,
    storedCard: null,
    isRecurring: false,
  }
}

let count = 0

function fresh(word: string): AcquirerRef {
  count += 1
  const ref = `${word}-${count}`
  assert(isRef(ref))
  return ref
}

// Asks, and gives up once an inquiry shows that the request is through.
async function giveUpAfterProcessing(acquirer: Acquirer, request: AuthorizeRequest): Promise<unknown> {
  const waiting = new AbortController()
  const answer = acquirer.authorize(request, waiting.signal)
  for (let seen = 'not_found'; seen === 'not_found';) {
    seen = (await acquirer.inquire(request.ref, patience())).kind
  }
  waiting.abort()
  return answer
}

const outcomes: Readonly<Record<string, Step>> = {
  approves: async ({ acquirer }) => {
    const answer = await acquirer.authorize(sale(fresh('plain')), patience())
    assert(answer.kind === 'approved')
    assert.deepEqual([answer.amount, answer.checks], [dollars(1_000n), { avs: 'Y', cvv: 'M' }])
    assert.match(answer.approvalCode, /^[A-Z0-9]{6}$/)
    assert.notEqual(answer.networkId, '')
  },
  'declines with the code of the issuer': async ({ acquirer }) => {
    const answer = await acquirer.authorize(sale(fresh('poor'), 1_000n, '4000000000009995'), patience())
    assert(answer.kind === 'declined')
    assert.deepEqual([answer.code, answer.checks], ['51', { avs: 'Y', cvv: 'M' }])
  },
  'approves a part': async ({ acquirer }) => {
    const answer = await acquirer.authorize(sale(fresh('part'), 990_010n), patience())
    assert(answer.kind === 'approved')
    assert.deepEqual(answer.amount, dollars(495_005n))
  },
  'verifies with an amount of 0': async ({ acquirer }) => {
    const answer = await acquirer.authorize(sale(fresh('check'), 0n), patience())
    assert(answer.kind === 'approved')
    assert.deepEqual(answer.amount, dollars(0n))
  },
  'knows the kind of a card': async ({ acquirer }) => {
    const kinds = ['4111111111111111', '4000056655665556', '5105105105105100'].map((number) => {
      const card = CardNumber.parse(number)
      return card && acquirer.describeCard(card)
    })
    assert.deepEqual(kinds, ['credit', 'debit', 'prepaid'])
  },
}

const references: Readonly<Record<string, Step>> = {
  'answers a repeated reference as before and authorizes once': async ({ acquirer }) => {
    const request = sale(fresh('again'))
    const answers = await Promise.all([1, 2, 3].map(() => acquirer.authorize(request, patience())))
    assert.equal(new Set(answers.map((answer) => answer.kind === 'approved' && answer.approvalCode)).size, 1)
    const from = Temporal.Instant.from('2000-01-01T00:00:00Z')
    const lines = await Array.fromAsync(acquirer.report(from, from.add({ hours: 24 * 36_500 })))
    const mine = lines.filter(({ ref }) => ref === request.ref)
    assert.deepEqual(
      mine.map(({ kind, approved, reversed }) => ({ kind, approved, reversed })),
      [{ kind: 'sale', approved: dollars(1_000n), reversed: false }],
    )
  },
  'finds what became of a reference': async ({ acquirer }) => {
    const request = sale(fresh('find'))
    assert.deepEqual(await acquirer.inquire(request.ref, patience()), { kind: 'not_found' })
    const answer = await acquirer.authorize(request, patience())
    assert.deepEqual(await acquirer.inquire(request.ref, patience()), answer)
    const declined = sale(fresh('find'), 1_000n, '4000000000000002')
    const refusal = await acquirer.authorize(declined, patience())
    assert.deepEqual(await acquirer.inquire(declined.ref, patience()), refusal)
  },
  'reverses, and again, and the reference stays closed': async ({ acquirer }) => {
    const request = sale(fresh('undo'))
    await acquirer.authorize(request, patience())
    assert.deepEqual(await acquirer.reverse(request.ref, patience()), { kind: 'reversed' })
    assert.deepEqual(await acquirer.reverse(request.ref, patience()), { kind: 'reversed' })
    assert.deepEqual(await acquirer.inquire(request.ref, patience()), { kind: 'reversed' })
    assert.equal((await acquirer.authorize(request, patience())).kind, 'declined')
  },
  'closes a reference that is reversed before its original arrives': async ({ acquirer }) => {
    const request = sale(fresh('tomb'))
    assert.deepEqual(await acquirer.reverse(request.ref, patience()), { kind: 'reversed' })
    assert.equal((await acquirer.authorize(request, patience())).kind, 'declined')
    assert.equal((await acquirer.inquire(request.ref, patience())).kind, 'reversed')
  },
}

const afterwards: Readonly<Record<string, Step>> = {
  'refunds up to what was approved': async ({ acquirer }) => {
    const original = fresh('sold')
    await acquirer.authorize(sale(original), patience())
    const give = (minor: bigint, ref = fresh('back')) =>
      acquirer.refund({ ref, original, amount: dollars(minor) }, patience())
    const once = fresh('back')
    const kinds = [
      await give(600n, once),
      await give(600n, once),
      await give(401n),
      await give(400n),
      await give(1n),
    ]
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['approved', 'approved', 'declined', 'approved', 'declined'],
    )
    assert.equal((await acquirer.inquire(once, patience())).kind, 'approved')
  },
  'settles a batch once and as a whole': async ({ acquirer }) => {
    const [one, two] = [fresh('sold'), fresh('sold')]
    await acquirer.authorize(sale(one), patience())
    await acquirer.authorize(sale(two), patience())
    const item = (ref: AcquirerRef) => ({ ref, amount: dollars(1_000n), isCredit: false })
    const batch = { ref: fresh('batch'), number: 1, terminal, items: [item(one), item(two)] }
    const answer = await acquirer.settle(batch, patience())
    assert(answer.kind === 'approved')
    assert.deepEqual(answer.amount, dollars(2_000n))
    assert.deepEqual(await acquirer.settle(batch, patience()), answer)
    assert.equal((await acquirer.settle({ ...batch, ref: fresh('batch') }, patience())).kind, 'declined')
    const empty = await acquirer.settle({ ...batch, ref: fresh('batch'), items: [] }, patience())
    assert.equal(empty.kind, 'declined')
  },
  'accepts a batch that it rejected before, sent again as it was': async ({ acquirer }) => {
    const one = fresh('sold')
    await acquirer.authorize(sale(one), patience())
    const items = [{ ref: one, amount: dollars(1_000n), isCredit: false }]
    const batch = { ref: fresh('batch'), number: 7, terminal: { ...terminal, terminalId: 'REJECT' }, items }
    assert.equal((await acquirer.settle(batch, patience())).kind, 'declined')
    assert.equal((await acquirer.inquire(batch.ref, patience())).kind, 'declined')
    const again = { ...batch, terminal }
    const accepted = await acquirer.settle(again, patience())
    assert.equal(accepted.kind, 'approved')
    assert.deepEqual(await acquirer.inquire(batch.ref, patience()), accepted)
    assert.deepEqual(await acquirer.settle(again, patience()), accepted)
  },
}

const refusals: Readonly<Record<string, Step>> = {
  'refuses to reverse what is settled, again and again, and it stands': async ({ acquirer }) => {
    const request = sale(fresh('kept'))
    await acquirer.authorize(request, patience())
    const items = [{ ref: request.ref, amount: dollars(1_000n), isCredit: false }]
    await acquirer.settle({ ref: fresh('batch'), number: 1, terminal, items }, patience())
    assert.deepEqual(await acquirer.reverse(request.ref, patience()), { kind: 'refused', code: '12' })
    assert.deepEqual(await acquirer.reverse(request.ref, patience()), { kind: 'refused', code: '12' })
    assert.equal((await acquirer.inquire(request.ref, patience())).kind, 'approved')
  },
  'believes no refusal that belongs to another reference': async ({ acquirer, addFault }) => {
    const request = sale(fresh('kept'))
    await acquirer.authorize(request, patience())
    const given = { ref: fresh('back'), original: request.ref, amount: dollars(1n) }
    await acquirer.refund(given, patience())
    await addFault({ ref: request.ref, verb: 'reverse', times: 1, delivery: { garbles: 'other_ref' } })
    assert.deepEqual(await acquirer.reverse(request.ref, patience()), unknown('garbled'))
    assert.deepEqual(await acquirer.reverse(request.ref, patience()), { kind: 'refused', code: '12' })
  },
}

const troubles: Readonly<Record<string, Step>> = {
  'says unknown when it gives up, and an inquiry tells the truth': async ({ acquirer, addFault }) => {
    const request = sale(fresh('late'))
    await addFault({ ref: request.ref, verb: 'authorize', delivery: { answersAfterMs: 60_000 } })
    assert.deepEqual(await giveUpAfterProcessing(acquirer, request), unknown('timeout'))
    assert.equal((await acquirer.inquire(request.ref, patience())).kind, 'approved')
  },
  'says unknown when the answer is lost, and an inquiry tells the truth': async ({ acquirer }) => {
    const request = sale(fresh('lost'), 990_068n)
    assert.deepEqual(await giveUpAfterProcessing(acquirer, request), unknown('timeout'))
  },
  'says unknown when the line breaks, processed or not': async ({ acquirer, addFault }) => {
    const [never, done] = [sale(fresh('broke')), sale(fresh('broke'))]
    await addFault({ ref: never.ref, verb: 'authorize', delivery: { losesRequest: true, hangsUp: true } })
    await addFault({ ref: done.ref, verb: 'authorize', delivery: { losesAnswer: true, hangsUp: true } })
    assert.deepEqual(await acquirer.authorize(never, patience()), unknown('link_down'))
    assert.deepEqual(await acquirer.authorize(done, patience()), unknown('link_down'))
    assert.equal((await acquirer.inquire(never.ref, patience())).kind, 'not_found')
    assert.equal((await acquirer.inquire(done.ref, patience())).kind, 'approved')
  },
  'waits for a late answer as long as its caller does': async ({ acquirer, addFault }) => {
    const request = sale(fresh('slow'))
    await addFault({ ref: request.ref, verb: 'authorize', delivery: { answersAfterMs: 20 } })
    assert.equal((await acquirer.authorize(request, patience())).kind, 'approved')
  },
  'takes the first of two answers': async ({ acquirer }) => {
    const request = sale(fresh('twice'), 990_094n)
    assert.equal((await acquirer.authorize(request, patience())).kind, 'approved')
    assert.equal((await acquirer.inquire(request.ref, patience())).kind, 'approved')
  },
  'believes no garbled answer': async ({ acquirer, addFault }) => {
    for (const garbles of ['cut', 'noise', 'other_ref', 'other_currency', 'too_much'] as const) {
      const request = sale(fresh(garbles.replace('_', '-')))
      await addFault({ ref: request.ref, verb: 'authorize', delivery: { garbles } })
      assert.deepEqual(await acquirer.authorize(request, patience()), unknown('garbled'), garbles)
      assert.equal((await acquirer.inquire(request.ref, patience())).kind, 'approved')
    }
  },
  'believes no answer that belongs to another reference': async ({ acquirer, addFault }) => {
    const requests = [sale(fresh('swap')), sale(fresh('swap'))]
    for (const { ref } of requests)
      await addFault({ ref, verb: 'authorize', delivery: { swapsAnswer: true } })
    const answers = await Promise.all(requests.map((request) => acquirer.authorize(request, patience())))
    assert.deepEqual(answers, [unknown('garbled'), unknown('garbled')])
  },
}

const otherTroubles: Readonly<Record<string, Step>> = {
  'says not sent when nobody waits any more before it starts': async ({ acquirer }) => {
    const request = sale(fresh('unsent'))
    assert.deepEqual(await acquirer.authorize(request, AbortSignal.abort()), { kind: 'not_sent' })
    assert.deepEqual(await acquirer.inquire(request.ref, patience()), { kind: 'not_found' })
    assert.deepEqual(await acquirer.inquire(request.ref, AbortSignal.abort()), unknown('link_down'))
  },
  'reports an inquiry or a reversal without an answer as unknown': async ({ acquirer, addFault }) => {
    const request = sale(fresh('mute'))
    await acquirer.authorize(request, patience())
    const delivery = { losesAnswer: true, hangsUp: true }
    await addFault({ ref: request.ref, verb: 'inquire', times: 1, delivery })
    await addFault({ ref: request.ref, verb: 'reverse', times: 1, delivery })
    assert.deepEqual(await acquirer.inquire(request.ref, patience()), unknown('link_down'))
    assert.deepEqual(await acquirer.reverse(request.ref, patience()), unknown('link_down'))
    assert.deepEqual(await acquirer.reverse(request.ref, patience()), { kind: 'reversed' })
  },
  'may find nothing for a while although it was processed': async ({ acquirer, addFault }) => {
    const request = sale(fresh('lag'))
    const delivery = { losesAnswer: true, hangsUp: true, inquiryLagMs: 60_000 }
    await addFault({ ref: request.ref, verb: 'authorize', times: 1, delivery })
    assert.deepEqual(await acquirer.authorize(request, patience()), unknown('link_down'))
    assert.deepEqual(await acquirer.inquire(request.ref, patience()), { kind: 'not_found' })
    assert.deepEqual(await acquirer.reverse(request.ref, patience()), { kind: 'reversed' })
    assert.equal((await acquirer.authorize(request, patience())).kind, 'declined')
  },
}

export function acquirerConformance(name: string, makeStage: MakeStage): void {
  describe(name, () => {
    for (const steps of [outcomes, references, afterwards, refusals, troubles, otherTroubles]) {
      for (const [sentence, step] of Object.entries(steps)) {
        test(sentence, async (t) => {
          await step(await makeStage(t))
        })
      }
    }
  })
}
