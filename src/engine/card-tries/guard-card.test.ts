import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { CardMemory } from '#engine/card-tries/card-tries.ts'
import { passesLuhn } from '#kernel/luhn.ts'
import { answerOnce } from '#transport/answer-once.ts'
import { charge, makeCallerOf, makeConsent, told } from '../../../test/support/consent-world.ts'
import { openForm, press } from '../../../test/support/form-world.ts'
import { makePlan, processDue } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { call, openTill, type Till, type Told } from '../../../test/support/till.ts'

const world = useWorld()

// A gateway process: what others have seen it reads with its own declines.
const limited = (needs: World = world()): World => ({
  ...needs,
  hasFormLimits: true,
  cardTries: { memory: new CardMemory(), holdsBack: true },
})

const held = 4291
// Amounts by which the simulated bank declines any card.
const [declined, expiredCard, issuerAway] = [9900.05, 9900.54, 9900.91]

// Numbers that nobody has, with these first digits.
function cardsOf(first: string, count: number): readonly string[] {
  const found: string[] = []
  for (let rest = 0; found.length < count; rest++) {
    const number = `${first}${String(rest).padStart(16 - first.length, '0')}`
    if (passesLuhn(number)) found.push(number)
  }
  return found
}

const cardOf = (AccountNumber = '') => ({ AccountNumber, ExpMonth: 12, ExpYear: 2030 })

function sell(till: Till, card: string | undefined, BaseAmt: number): Promise<Told> {
  const body = { ccCardInfo: cardOf(card), Amounts: { BaseAmt }, MerchID: 1 }
  return call(till, 'CardSale/Manual', body)
}

type Count = { readonly approved: number; readonly declined: number; readonly held: number }

function countOf(answers: readonly Told[]): Count {
  const all = { approved: 0, declined: 0, held: 0 }
  for (const { code, members } of answers) {
    assert(code === held || code === 0, `answered ${code}`)
    all[code === held ? 'held' : members['TxApproved'] === true ? 'approved' : 'declined'] += 1
  }
  return all
}

async function sellAll(till: Till, cards: readonly string[], amount: number): Promise<Count> {
  const answers: Told[] = []
  for (const card of cards) answers.push(await sell(till, card, amount))
  return countOf(answers)
}

const times = (count: number, card = ''): readonly string[] => Array.from({ length: count }, () => card)

test('of 150 declines of one card eight reach the bank, wherever it is charged', async () => {
  const needs = limited()
  const till = await openTill(needs)
  const [card = '', other = ''] = cardsOf('41000001', 2)
  assert.deepEqual(await sellAll(till, times(150, card), declined), { approved: 0, declined: 8, held: 142 })
  assert.equal((await sell(await openTill(needs), card, 5)).code, held, 'at another account')
  assert.equal((await sell(till, other, 5)).members['TxApproved'], true, 'another card')
  needs.clock.advance({ hours: 24 })
  assert.equal((await sell(till, card, 5)).members['TxApproved'], true, 'a day later')
})

test('a held call is answered with the seconds to wait and records nothing', async () => {
  const needs = limited()
  const till = await openTill(needs)
  const [card = ''] = cardsOf('41000002', 1)
  await sellAll(till, times(8, card), declined)
  const { text, members } = await sell(till, card, 5)
  assert.match(text, /looks like card testing; try again in 86400 s/)
  assert.equal(members['TxID'], 0)
})

test('a held call leaves its key free, and earlier calls are repeated as they were answered', async () => {
  const needs = limited()
  const till = await openTill(needs)
  const operation = operations.find(({ contract }) => contract === chargeCardContract)
  assert(operation)
  const [card = ''] = cardsOf('41000015', 1)
  const body = { ccCardInfo: cardOf(card), Amounts: { BaseAmt: 5 }, MerchID: 1 }
  const once = (key: string) => answerOnce(needs, operation, { caller: till.caller, key, body })
  const first = await once('first')
  await sellAll(till, times(8, card), declined)
  const refused = await once('second')
  assert.equal(refused.error, 'card_testing')
  assert.deepEqual(refused.notes, { 'Retry-After': '86400' })
  assert.deepEqual(
    { ...(await once('first')), notes: {} },
    { ...first, notes: {} },
    'made before the card was held back',
  )
  needs.clock.advance({ hours: 24 })
  const { error, notes } = await once('second')
  assert.deepEqual([error, notes['Idempotent-Replayed']], [null, undefined])
})

test('of 150 cards with the same first eight digits fifty are tried at a merchant record', async () => {
  const needs = limited()
  const till = await openTill(needs)
  const cards = cardsOf('41000003', 151)
  const tried = cards.slice(0, 150)
  assert.deepEqual(await sellAll(till, tried, declined), { approved: 0, declined: 50, held: 100 })
  assert.equal((await sell(till, cardsOf('41000004', 1)[0], 5)).members['TxApproved'], true, 'other cards')
  assert.equal(
    (await sell(await openTill(needs), cards[150], 5)).members['TxApproved'],
    true,
    'another account',
  )
  needs.clock.advance({ minutes: 10 })
  assert.equal((await sell(till, cards[150], 5)).members['TxApproved'], true, 'ten minutes later')
})

test('an account most of whose cards are wrong is held back after a hundred tries', async () => {
  const needs = limited()
  const till = await openTill(needs)
  const cards = Array.from(
    { length: 150 },
    (_, at) => cardsOf(`42${String(at).padStart(6, '0')}`, 1)[0] ?? '',
  )
  assert.deepEqual(await sellAll(till, cards, expiredCard), { approved: 0, declined: 100, held: 50 })
  const [card] = cardsOf('43000001', 1)
  assert.equal((await sell(till, card, 5)).code, held, 'all of its cards')
  assert.equal((await sell(await openTill(needs), card, 5)).members['TxApproved'], true, 'another account')
})

test('of honest trade, of which one in twenty is declined, nothing is held back', async () => {
  const till = await openTill(limited())
  const cards = cardsOf('41000005', 400)
  const answers: Told[] = []
  for (const [at, card] of cards.entries())
    answers.push(await sell(till, card, at % 40 === 0 ? declined : at % 40 === 20 ? expiredCard : 5))
  assert.deepEqual(countOf(answers), { approved: 380, declined: 20, held: 0 })
})

test('a bank that does not answer its network says nothing about cards', async () => {
  const till = await openTill(limited())
  const [card = ''] = cardsOf('41000006', 1)
  assert.deepEqual(await sellAll(till, times(60, card), issuerAway), { approved: 0, declined: 60, held: 0 })
})

test('without limits nothing is held back', async () => {
  const till = await openTill(world())
  const [card = ''] = cardsOf('41000007', 1)
  assert.deepEqual(await sellAll(till, times(60, card), declined), { approved: 0, declined: 60, held: 0 })
})

test('of a hundred tries at once no more get through than one after the other', async () => {
  const till = await openTill(limited())
  const [card = ''] = cardsOf('41000008', 1)
  const ofCard = await Promise.all(times(100, card).map((one) => sell(till, one, declined)))
  assert.deepEqual(countOf(ofCard), { approved: 0, declined: 8, held: 92 })
  const cards = cardsOf('41000009', 110)
  await sellAll(till, cards.slice(0, 10), declined)
  const ofBin = await Promise.all(cards.slice(10).map((one) => sell(till, one, declined)))
  assert.deepEqual(countOf(ofBin), { approved: 0, declined: 40, held: 60 })
})

test('many who pay at once with cards of one issuer are not held back', async () => {
  const till = await openTill(limited())
  const all = await Promise.all(cardsOf('41000013', 100).map((one) => sell(till, one, 5)))
  assert.deepEqual(countOf(all), { approved: 100, declined: 0, held: 0 })
})

test('a card on file may be charged many times at once', async () => {
  const needs = limited()
  const caller = await makeCallerOf(needs)
  const consent = await makeConsent(needs, caller)
  const charges = Array.from({ length: 20 }, () => charge(needs, caller, consent, { Amounts: 1 }))
  for (const made of await Promise.all(charges)) assert.equal(told(made).refusal, null)
})

test('another process, and one after a restart, lets one more through', async () => {
  const needs = world()
  const till = await openTill(limited(needs))
  const [card = ''] = cardsOf('41000010', 1)
  await sellAll(till, times(10, card), declined)
  const other = { ...till, needs: limited(needs) }
  assert.deepEqual(await sellAll(other, times(10, card), declined), { approved: 0, declined: 1, held: 9 })
  const cards = cardsOf('41000011', 120)
  await sellAll(till, cards.slice(0, 60), declined)
  assert.deepEqual(await sellAll(other, cards.slice(60), declined), { approved: 0, declined: 1, held: 59 })
})

test('forms and calls count the same cards', async () => {
  const needs = limited()
  const till = await openTill(needs)
  const [card = ''] = cardsOf('41000012', 1)
  await sellAll(till, times(8, card), declined)
  assert.equal((await press(await openForm(till), { number: card })).kind, 'blocked')

  const bad = '4000000000009979'
  for (let form = 0; form < 4; form++)
    assert.equal((await press(await openForm(till), { number: bad })).kind, 'declined')
  assert.deepEqual(await sellAll(till, times(6, bad), 5), { approved: 0, declined: 4, held: 2 })
})

test('each way of charging or verifying a card is held back', async () => {
  const needs = limited()
  const till = await openTill(needs)
  const { caller } = till
  const [card = ''] = cardsOf('41000013', 1)
  const consent = await makeConsent(needs, caller, { card: { AccountNumber: '4000000000000341' } })
  for (let tried = 0; tried < 8; tried++) {
    const answer = await charge(needs, caller, consent, { Amounts: 5 })
    assert(answer.ok && answer.value.state === 'declined')
  }
  const ninth = await charge(needs, caller, consent, { Amounts: 5 })
  assert(!ninth.ok)
  assert.equal(ninth.refusal.kind, 'card_testing')

  await sellAll(till, times(8, card), declined)
  const [ConsentCreator, ccCardInfo] = [{ MerchID: 1 }, cardOf(card)]
  const annual = await call(till, 'ConsentAnnual/Create_MAN', { ccCardInfo, ConsentCreator })
  assert.equal(annual.code, held)
  const plan = { ...ConsentCreator, NumPayments: 3, TotalAmount: 100, Period: 'MONTHLY' }
  assert.equal((await call(till, 'ConsentRecurring/Create', { ccCardInfo, ConsentCreator: plan })).code, held)
})

test('an account verifies at most 120 cards in a minute', async () => {
  const needs = limited()
  const till = await openTill(needs, { verifiesCards: true })
  const codes: number[] = []
  for (const card of cardsOf('41000014', 125)) {
    const body = { ccCardInfo: cardOf(card), ConsentCreator: { MerchID: 1 } }
    codes.push((await call(till, 'ConsentAnnual/Create_MAN', body)).code)
  }
  assert.deepEqual(codes, [...Array<number>(120).fill(0), ...Array<number>(5).fill(held)])
  needs.clock.advance({ minutes: 1 })
  assert.equal((await sell(till, cardsOf('41000014', 1)[0], 5)).members['TxApproved'], true)
})

test('runs of plans are not counted and not held back', async () => {
  const needs = limited()
  const till = await openTill(needs)
  const bad = '4000000000009235'
  const terms = { card: bad, NumPayments: 1, TotalAmount: 5 }
  const run = async () => (await processDue(needs, till.caller)).members.NumDeclined
  for (let plans = 0; plans < 10; plans++) await makePlan(needs, till.caller, terms)
  assert.equal(await run(), 10)
  assert.deepEqual(await sellAll(till, times(10, bad), 5), { approved: 0, declined: 8, held: 2 })
})
