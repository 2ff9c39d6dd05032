import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaveFormOrder } from '#capabilities/form-payments/order-by-form.operation.ts'
import { unsealFields } from '#capabilities/form-payments/sealed-fields.operation.ts'
import type { PayAnswer } from '#capabilities/form-payments/pay-form.operation.ts'
import { giveUpOrders } from '#capabilities/international/give-up-orders.operation.ts'
import { type Guest, look, openForm, press } from '../../../test/support/form-world.ts'
import { cards, findRecords, openShop, proc, stepsOf, undoOrder } from '../../../test/support/order-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()

async function openOrderForm(options: object = {}): Promise<Guest> {
  return openForm(await openShop(world()), { MerchID: 2, WTYPE: 'PA' }, options)
}

type Asked = Extract<PayAnswer, { kind: 'challenge' }>

async function challenged(guest: Guest, typed = {}, page = null): Promise<Asked> {
  const answer = await press(guest, { number: cards.challenged, ...typed }, page)
  assert(answer.kind === 'challenge')
  return answer
}

function comeBack(guest: Guest, { challenge }: Asked, more = {}): Promise<PayAnswer> {
  return press(guest, { challenge: challenge.sealed, ...more })
}

async function answerBank({ till: { needs } }: Guest, { challenge }: Asked, isRight = true): Promise<void> {
  const id = challenge.address.split('/').at(-1) ?? ''
  const { code = '' } = (await needs.payerBank.find(id)) ?? {}
  await needs.payerBank.answer(id, isRight ? { kind: 'code', digits: code } : { kind: 'cancel' })
}

async function steps(guest: Guest): Promise<readonly string[]> {
  return stepsOf(guest.till, (await look(guest)).form.orderRef ?? '')
}

const redirected = ['SALE REDIRECT/REDIRECT 125', 'SALE REDIRECT/3DS 125']

test('a card that its bank knows pays at once, with all records', async () => {
  const guest = await openOrderForm()
  assert.deepEqual(await press(guest, { number: cards.recognized }), { kind: 'paid' })
  assert.deepEqual(await steps(guest), [...redirected, 'SALE SUCCESS/SETTLED 125'])
  const { standing, form } = await look(guest)
  assert.deepEqual([standing, form.tries], ['paid', 1])
})

test('a payer who satisfies the bank has paid, and once however often the page goes on', async () => {
  const guest = await openOrderForm()
  const asked = await challenged(guest)
  assert.deepEqual(await steps(guest), redirected, 'nothing is charged yet')
  assert.equal((await comeBack(guest, asked)).kind, 'challenge', 'the bank has no answer yet')
  await answerBank(guest, asked)
  const page = await look(guest)
  const again = () => press(guest, { challenge: asked.challenge.sealed }, page)
  const answers = await Promise.all([again(), again(), again()])
  assert(answers.some(({ kind }) => kind === 'paid'))
  assert.deepEqual(await steps(guest), [...redirected, 'SALE SUCCESS/SETTLED 125'])
  assert.deepEqual([(await look(guest)).standing, (await look(guest)).form.tries], ['paid', 1])
})

test('a payer whom the bank does not know has paid nothing, and may use another card', async () => {
  const guest = await openOrderForm()
  const asked = await challenged(guest)
  await answerBank(guest, asked, false)
  assert.deepEqual(await comeBack(guest, asked), { kind: 'declined', family: 'unconfirmed' })
  assert.deepEqual(await steps(guest), [...redirected, 'SALE DECLINED/DECLINED 125'])
  const { standing, decline } = await look(guest)
  assert.deepEqual([standing, decline], ['open', 'unconfirmed'])
  assert.deepEqual(await press(guest), { kind: 'paid' })
})

// Nothing is charged: the bank is asked who it is, and then whether the card is good.
const saving = { eSubmission: '0408', eVisible: '2023' }
const keeps = { save: '1' }
const redirectedForNothing = ['SALE REDIRECT/REDIRECT 0', 'SALE REDIRECT/3DS 0']

async function tokenOf(guest: Guest): Promise<unknown> {
  const { orderRef } = (await look(guest)).form
  return (await findRecords(guest.till, `(F='${orderRef}')`)).at(-1)?.['Recurring_Token']
}

for (const card of ['recognized', 'challenged'] as const) {
  test(`a form that only keeps a card asks its bank, which has ${card} the payer`, async () => {
    const guest = await openOrderForm(saving)
    const typed = { number: cards[card], ...keeps }
    if (card === 'challenged') {
      const asked = await challenged(guest, typed)
      assert.deepEqual(await steps(guest), redirectedForNothing)
      await answerBank(guest, asked)
      assert.deepEqual(await comeBack(guest, asked), { kind: 'paid' })
    } else assert.deepEqual(await press(guest, typed), { kind: 'paid' })
    assert.deepEqual(await steps(guest), [...redirectedForNothing, 'SALE SUCCESS/SETTLED 0'])
    const { form, attempt, keptCard } = await look(guest)
    assert.deepEqual([attempt?.kind, attempt?.approved.total.minor], ['verify', 0n])
    assert(keptCard && form.consentId)
    const charged = await proc(guest.till, String(await tokenOf(guest)), 5)
    assert.deepEqual([charged.code, charged.members['TxApproved']], [0, true], charged.text)
    const undone = await undoOrder(guest.till, form.orderRef ?? '', 1)
    assert.notEqual(undone.code, 0, 'nothing was charged that could be given back')
  })
}

for (const [card, family] of [
  ['rejected', 'unconfirmed'],
  ['bankIsDown', 'unreachable'],
  ['declining', 'declined'],
] as const) {
  test(`no card is kept whose bank is ${card}, and another one may be`, async () => {
    const guest = await openOrderForm(saving)
    const answer = await press(guest, { number: cards[card], ...keeps })
    assert.deepEqual(answer, { kind: 'declined', family })
    const { standing, keptCard } = await look(guest)
    assert.deepEqual([standing, keptCard, await tokenOf(guest)], ['open', null, ''])
    assert.deepEqual(await press(guest, keeps), { kind: 'paid' })
  })
}

test('a payer who leaves the page of the bank has no card kept', async () => {
  const guest = await openOrderForm(saving)
  const asked = await challenged(guest, keeps)
  assert.deepEqual(await comeBack(guest, asked, { leave: '1' }), { kind: 'declined', family: 'interrupted' })
  assert.deepEqual(await steps(guest), [...redirectedForNothing, 'SALE DECLINED/DECLINED 0'])
  assert.equal((await look(guest)).keptCard, null)
})

const endings: readonly [card: keyof typeof cards, family: string][] = [
  ['rejected', 'unconfirmed'],
  ['bankIsDown', 'unreachable'],
  ['declining', 'declined'],
]
for (const [card, family] of endings) {
  test(`a card whose bank is ${card} is told as ${family}`, async () => {
    const guest = await openOrderForm()
    assert.deepEqual(await press(guest, { number: cards[card] }), { kind: 'declined', family })
    assert.equal((await look(guest)).decline, family)
  })
}

test('whoever leaves the page of the bank is charged nothing, even if the bank says yes later', async () => {
  const guest = await openOrderForm()
  const asked = await challenged(guest)
  const page = await look(guest)
  const left = await comeBack(guest, asked, { leave: '1' })
  assert.deepEqual(left, { kind: 'declined', family: 'interrupted' })
  await answerBank(guest, asked)
  const late = await press(guest, { challenge: asked.challenge.sealed }, page)
  assert.deepEqual(late, { kind: 'declined', family: 'interrupted' })
  assert.deepEqual(await steps(guest), [...redirected, 'SALE DECLINED/DECLINED 125'])
})

test('whoever leaves too late is told what came of the charge', async () => {
  const guest = await openOrderForm()
  const asked = await challenged(guest, { number: cards.challengedThenDeclined })
  await answerBank(guest, asked)
  assert.deepEqual(await comeBack(guest, asked), { kind: 'declined', family: 'declined' })
  const tooLate = await comeBack(guest, asked, { leave: '1' })
  assert.deepEqual(tooLate, { kind: 'declined', family: 'declined' })
  const again = await challenged(guest)
  const page = await look(guest)
  await answerBank(guest, again)
  assert.equal((await comeBack(guest, again)).kind, 'paid')
  const { needs } = guest.till
  assert.deepEqual(await leaveFormOrder(needs, page, again.challenge.sealed), { kind: 'done' })
})

test('whoever leaves in an older tab does not end the check of the newer one', async () => {
  const guest = await openOrderForm()
  const older = await challenged(guest)
  const newer = await challenged(guest)
  assert.deepEqual(await comeBack(guest, older, { leave: '1' }), { kind: 'stale' })
  await answerBank(guest, newer)
  assert.equal((await comeBack(guest, newer)).kind, 'paid')
})

test('an abandoned check is given up after ten minutes, and the form can be paid anew', async () => {
  const guest = await openOrderForm()
  const asked = await challenged(guest)
  const { needs, account } = guest.till
  assert.equal((await look(guest)).decline, 'interrupted', 'a reload says so')
  needs.clock.advance({ minutes: 11 })
  const { accountId } = account
  const at = needs.accountClock.now(accountId)
  await giveUpOrders(needs, {
    accountId,
    at,
    signal: new AbortController().signal,
    tell: async () => undefined,
  })
  await answerBank(guest, asked)
  assert.equal((await comeBack(guest, asked)).kind, 'stale', 'the card is not carried any longer')
  assert.deepEqual(await press(guest), { kind: 'paid' })
  assert.equal((await findRecords(guest.till, '(B=3)&&(E=1)')).length, 1)
})

test('a check that began in time can be ended, even if the time of the form runs out meanwhile', async () => {
  const guest = await openOrderForm()
  const { clock } = guest.till.needs
  clock.advance({ minutes: 59 })
  const asked = await challenged(guest)
  clock.advance({ minutes: 9 })
  await answerBank(guest, asked)
  assert.deepEqual(await comeBack(guest, asked), { kind: 'paid' })
})

test('of two tabs at the bank only the newer one can be charged', async () => {
  const guest = await openOrderForm()
  const first = await challenged(guest)
  const second = await challenged(guest)
  await answerBank(guest, first)
  await answerBank(guest, second)
  assert.equal((await comeBack(guest, first)).kind, 'stale')
  assert.equal((await comeBack(guest, second)).kind, 'paid')
  assert.equal((await comeBack(guest, first)).kind, 'stale')
  assert.equal((await findRecords(guest.till, '(B=3)&&(E=1)')).length, 1)
})

test('the sealed card opens for its own form alone', async () => {
  const guest = await openOrderForm()
  const asked = await challenged(guest)
  await answerBank(guest, asked)
  const other = await openForm(guest.till, { MerchID: 2, WTYPE: 'PA' })
  await challenged(other)
  assert.equal((await comeBack(other, asked)).kind, 'stale')
  assert.equal((await comeBack(guest, { ...asked, challenge: { address: '', sealed: 'xx' } })).kind, 'stale')
})

test('the sealed card is no answer to another question of the form', async () => {
  const guest = await openOrderForm()
  const { challenge } = await challenged(guest)
  const { form: owner } = await look(guest)
  const opened = (purpose: 'review' | 'challenge') =>
    unsealFields(guest.till.needs, { owner, purpose }, challenge.sealed)
  assert.deepEqual([opened('challenge') === null, opened('review')], [false, null])
})

test('a card kept with an order can be charged by its token', async () => {
  const guest = await openOrderForm({ eSubmission: '0608' })
  const asked = await challenged(guest, { save: '1' })
  await answerBank(guest, asked)
  assert.deepEqual(await comeBack(guest, asked), { kind: 'paid' })
  const { form, order } = await look(guest)
  assert(form.consentId)
  assert.match(order?.consentToken ?? '', /^[0-9a-f-]{36}$/)
})
