import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Crash, type CrashPoint, usualPatience } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { followers } from '#capabilities/followers.ts'
import { payForm } from '#capabilities/form-payments/pay-form.operation.ts'
import { orderFollower } from '#engine/orders/order.follower.ts'
import { following } from '#engine/payments/follower.ts'
import { Secret } from '#kernel/secret.ts'
import { goodCard, look, openForm, press } from '../../../test/support/form-world.ts'
import { makeMerchant, useWorld, type World } from '../../../test/support/session-world.ts'
import { call, eventsOf, openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()

async function charges({ needs: { bank } }: Till): Promise<readonly string[]> {
  const lines: string[] = []
  const [from, to] = ['2020-01-01T00:00:00Z', '2040-01-01T00:00:00Z'].map((one) => Temporal.Instant.from(one))
  assert(from && to)
  for await (const { reply, reversedAt } of bank.log.report(from, to)) {
    if (reply.outcome === 'approved') lines.push(`${reply.approvedMinor}${reversedAt ? ' reversed' : ''}`)
  }
  return lines
}

test('a good card pays the form, once and for all', async () => {
  const guest = await openForm(await openTill(world()))
  assert.deepEqual(await press(guest), { kind: 'paid' })
  const { standing, attempt, isPayingBrowser } = await look(guest)
  assert.deepEqual([standing, attempt?.details.origin, isPayingBrowser], ['paid', 'WID', true])
  assert.deepEqual(await press(guest), { kind: 'stale' })
  assert.deepEqual(await charges(guest.till), ['12500'])
})

test('the same page sent ten times at once, in ten tabs, charges once', async () => {
  const guest = await openForm(await openTill(world()))
  const page = await look(guest)
  const answers = await Promise.all(Array.from({ length: 10 }, () => press(guest, {}, page)))
  assert.deepEqual(answers.map(({ kind }) => kind).toSorted(), ['paid', ...Array(9).fill('stale')])
  assert.deepEqual(await charges(guest.till), ['12500'])
})

test('a declined page sent again asks the bank nothing; a fresh one may succeed', async () => {
  const guest = await openForm(await openTill(world()))
  const page = await look(guest)
  const bad = { number: '4000000000000002' }
  assert.deepEqual(await press(guest, bad, page), { kind: 'declined', family: 'declined' })
  assert.deepEqual(await press(guest, {}, page), { kind: 'stale' })
  const { standing, decline } = await look(guest)
  assert.deepEqual([standing, decline], ['open', 'declined'])
  assert.deepEqual(await press(guest), { kind: 'paid' })
  assert.deepEqual(await charges(guest.till), ['12500'])
})

test('only the browser that tried learns that a card was declined, or sees the receipt', async () => {
  const guest = await openForm(await openTill(world()))
  await press(guest, { number: '4000000000009995' })
  const other = { ...guest, browser: new Secret('another') }
  assert.deepEqual([(await look(other)).decline, (await look(other)).isPayingBrowser], [null, false])
})

const families: readonly [card: string, family: string][] = [
  ['4000000000000002', 'declined'],
  ['4000000000009995', 'declined'],
  ['4000000000009979', 'declined'],
  ['4000000000000127', 'declined'],
  ['4000000000000119', 'unreachable'],
]
for (const [number, family] of families) {
  test(`${number} is told as ${family} and nothing more`, async () => {
    const guest = await openForm(await openTill(world()))
    assert.deepEqual(await press(guest, { number }), { kind: 'declined', family })
  })
}

test('what the payer sends for an amount that is not asked for changes nothing', async () => {
  const guest = await openForm(await openTill(world()))
  assert.deepEqual(await press(guest, { amount: '0.01' }), { kind: 'paid' })
  assert.deepEqual(await charges(guest.till), ['12500'])
})

test('where the amount is asked for, the payer decides, within the most', async () => {
  const guest = await openForm(await openTill(world()), {}, { eReadOnly: '0' })
  const page = await look(guest)
  for (const amount of ['0', '-5', '1.005', '1.2345', '1,23,4', 'abc', '', '100000.01']) {
    const answer = await press(guest, { amount }, page)
    assert(answer.kind === 'problems', amount)
    assert(answer.problems.has('amount'))
  }
  assert.deepEqual(await press(guest, { amount: '40,50', total: '4050' }, page), { kind: 'paid' })
  assert.deepEqual(await charges(guest.till), ['4050'])
})

test('nobody agrees to other words than those on the page', async () => {
  const guest = await openForm(await openTill(world()), {}, payAndSave)
  assert.deepEqual(await press(guest, { save: '1', words: '0123456789abcdef' }), { kind: 'stale' })
  assert.deepEqual(await press(guest, { ...bankAccount, words: '' }), { kind: 'stale' })
  assert.deepEqual(await charges(guest.till), [])
})

test('a fee that the payer has not seen is shown before anything is charged', async () => {
  const till = await openTill(world())
  const fee = { feeKind: 'surcharge', feeBasisPoints: 300, region: 'IL' } as const
  await makeMerchant(till.needs, till.account, fee)
  const guest = await openForm(till, { MerchID: 2 })
  const review = await press(guest)
  assert(review.kind === 'review')
  assert.deepEqual([review.price.fee.minor, review.price.total.minor], [375n, 12_875n])
  assert.deepEqual(await charges(till), [])
  assert.deepEqual(await press(guest, { total: '12875' }), { kind: 'paid' })
  assert.deepEqual(await charges(till), ['12875'])
})

test('a tick counts for the total that its words named, and for the merchant that they named', async () => {
  const till = await openTill(world())
  const fee = { feeKind: 'surcharge', feeBasisPoints: 300, region: 'IL' } as const
  await makeMerchant(till.needs, till.account, fee)
  const guest = await openForm(till, { MerchID: 2 }, { eVisible: '8860' })
  for (const agree of ['1', '12500']) {
    const answer = await press(guest, { agree, total: '12875' })
    assert.equal(answer.kind, 'review', 'who ticked another total is shown the page anew')
  }
  const agreed = { agree: '12875', total: '12875' }
  assert.deepEqual(await press(guest, { ...agreed, words: 'of another page' }), { kind: 'stale' })
  assert.deepEqual(await charges(till), [])
  assert.deepEqual(await press(guest, agreed), { kind: 'paid' })
  assert.deepEqual(await charges(till), ['12875'])
})

test('a debit card carries no surcharge', async () => {
  const till = await openTill(world())
  const fee = { feeKind: 'surcharge', feeBasisPoints: 300, region: 'IL' } as const
  await makeMerchant(till.needs, till.account, fee)
  const guest = await openForm(till, { MerchID: 2 })
  assert.deepEqual(await press(guest, { number: '4000056655665556' }), { kind: 'paid' })
})

const bankAccount = { method: 'bank', routing: '110000000', account: '000123456789', name: 'Ada Miller' }

test('a bank account pays the form, with the next settlement', async () => {
  const guest = await openForm(await openTill(world()))
  assert.deepEqual(await press(guest, bankAccount), { kind: 'paid' })
  const { attempt } = await look(guest)
  assert.deepEqual([attempt?.kind, attempt?.details.lastFour], ['bank_debit', '6789'])
  const { said } = (await look(guest)).form
  assert.match(said.bankAgreement, /I authorize .* to debit \$125\.00 once from this account/)
  assert.equal(said.agreedFrom, '203.0.113.7')
  assert.deepEqual(await charges(guest.till), [])
})

test('a wrong routing number is refused at its field', async () => {
  const guest = await openForm(await openTill(world()))
  const answer = await press(guest, { ...bankAccount, routing: '110000001', account: '1' })
  assert(answer.kind === 'problems')
  assert.deepEqual([...answer.problems.keys()].toSorted(), ['account', 'routing'])
})

test('a refusal that no other page caused is told as one that may pass', async () => {
  const guest = await openForm(await openTill(world()))
  const { pageKey, form } = await look(guest)
  const { till, token, browser } = guest
  const sent = new Map(Object.entries({ ...goodCard, k: pageKey, total: String(form.amount?.minor) }))
  const tongue = tongueFor('en-US', '')
  // Something else that has to change together with the payment, and cannot.
  const also = [following(orderFollower, 404n, { kind: 'waiting', proof: {} })]
  const extras = {
    onFile: null,
    sharedLink: null,
    onOrder: async () => true,
    onClosed: async () => undefined,
    also,
  }
  const wish = { token, browser, address: '203.0.113.7', tongue, sent, extras }
  assert.deepEqual(await payForm(till.needs, wish), { kind: 'declined', family: 'unreachable' })
  assert.deepEqual(await charges(till), [])
})

const payAndSave = { eSubmission: '0608' }

test('paying and saving keeps the card with the agreement, and it can be charged', async () => {
  const till = await openTill(world())
  const guest = await openForm(till, {}, payAndSave)
  assert.deepEqual(await press(guest, { save: '1' }), { kind: 'paid' })
  const { form } = await look(guest)
  assert(form.consentId)
  const told = await call(till, 'ConsentAnnual/ChargeStoredCard', {
    ConsentID: Number(form.consentId),
    Amounts: { BaseAmt: 5 },
  })
  assert.equal(told.members['TxApproved'], true, told.text)
  assert((await eventsOf(till)).includes('consent.created'))
})

test('without the tick nothing is kept', async () => {
  const guest = await openForm(await openTill(world()), {}, payAndSave)
  assert.deepEqual(await press(guest), { kind: 'paid' })
  assert.equal((await look(guest)).form.consentId, null)
})

test('a card that only is to be saved is asked about, not charged', async () => {
  const guest = await openForm(await openTill(world()), { Amounts: {} }, { eSubmission: '0408' })
  const without = await press(guest)
  assert(without.kind === 'problems')
  assert.equal(without.problems.get('save'), 'save_missing')
  assert.deepEqual(await press(guest, { save: '1' }), { kind: 'paid' })
  const { form, attempt } = await look(guest)
  assert.equal(attempt?.kind, 'verify')
  assert(form.consentId)
})

test('a declined card is not kept', async () => {
  const guest = await openForm(await openTill(world()), {}, payAndSave)
  const answer = await press(guest, { save: '1', number: '4000000000000002' })
  assert.deepEqual(answer, { kind: 'declined', family: 'declined' })
  const told = await call(guest.till, 'Query/ConsentAnnual', { Query: "(H='True')" })
  assert.equal(told.members['NumRecords'], 0)
})

const requirements: readonly [what: string, mask: string, typed: object, isPaid: boolean][] = [
  ['a full address match', '0248', { zip: '46217' }, false],
  ['a zip match', '0288', { zip: '46217' }, true],
  ['a zip match', '0288', { zip: '46205' }, false],
  ['a CVV match', '0308', { number: '4000000000000101' }, false],
  ['a CVV match', '0308', {}, true],
]
for (const [what, eSubmission, typed, isPaid] of requirements) {
  const ends = isPaid ? 'pays' : 'is taken back'
  test(`where ${what} is required, ${JSON.stringify(typed)} ${ends}`, async () => {
    const guest = await openForm(await openTill(world()), {}, { eSubmission, eVisible: 'A067' })
    const answer = await press(guest, { street: '1 Elm Street', ...typed })
    assert.equal(answer.kind, isPaid ? 'paid' : 'pending', 'nothing is told before it is given back')
    assert.equal((await look(guest)).standing, isPaid ? 'paid' : 'paying')
    const { needs } = guest.till
    needs.clock.advance({ minutes: 2 })
    await recoverAttempts(needs)
    const standing = (await charges(guest.till)).filter((line) => !line.includes('reversed'))
    assert.deepEqual(standing, isPaid ? ['12500'] : [])
    const after = await look(guest)
    assert.deepEqual([after.standing, after.decline], isPaid ? ['paid', null] : ['open', 'declined'])
  })
}

test('a form opens for an hour by the clock of its account', async () => {
  const guest = await openForm(await openTill(world()))
  const page = await look(guest)
  guest.till.needs.clock.advance({ minutes: 59 })
  assert.equal((await look(guest)).standing, 'open')
  guest.till.needs.clock.advance({ minutes: 1 })
  assert.equal((await look(guest)).standing, 'expired')
  assert.deepEqual(await press(guest, {}, page), { kind: 'stale' })
})

test('a page that is not ours pays nothing', async () => {
  const guest = await openForm(await openTill(world()))
  assert.deepEqual(await press(guest, { k: '0'.repeat(32) }), { kind: 'stale' })
})

// A process that dies at one point, and the recoverer of another one.
function mortal(needs: World, point: CrashPoint): World {
  const engine = paymentEngine({
    ...needs,
    followers,
    patience: usualPatience,
    crashpoint: (reached) => {
      if (reached === point) throw new Crash()
    },
  })
  return { ...needs, ...engine, clock: needs.clock }
}

for (const point of ['after_t1', 'after_send', 'before_t2', 'after_t2'] as const) {
  test(`when the gateway dies ${point}, at most one charge stands and the page tells the truth`, async () => {
    const guest = await openForm(await openTill(world()), {}, payAndSave)
    const { needs } = guest.till
    const page = await look(guest)
    const dying = { ...guest, till: { ...guest.till, needs: mortal(needs, point) } }
    await assert.rejects(press(dying, { save: '1' }, page), Crash)
    const isRecorded = point === 'after_t2'
    assert.equal((await look(guest)).standing, isRecorded ? 'paid' : 'paying')
    assert.deepEqual(await press(guest), { kind: 'stale' })
    for (let round = 0; round < 5; round++) {
      needs.clock.advance({ minutes: 2 })
      await recoverAttempts(needs)
    }
    const isSent = point !== 'after_t1'
    const { standing, form } = await look(guest)
    assert.deepEqual([standing, form.consentId !== null], isSent ? ['paid', true] : ['open', false])
    const stands = (await charges(guest.till)).filter((line) => !line.includes('reversed'))
    assert.deepEqual(stands, isSent ? ['12500'] : [])
  })
}
