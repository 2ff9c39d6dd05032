import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PayAnswer } from '#capabilities/form-payments/pay-form.operation.ts'
import { expireLinksWork } from '#capabilities/links/expire-links.task.ts'
import {
  chargesAt,
  findLink,
  formOf,
  makeLink,
  type Payer,
  pressPay,
} from '../../../test/support/link-world.ts'
import { cards, openShop } from '../../../test/support/order-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { eventsOf } from '../../../test/support/till.ts'

const world = useWorld()
const end = Temporal.Instant.from('2027-01-15T10:05:00Z')
const minutesLater = (minutes: number) => end.add({ minutes })
const [one, two] = ['1'.repeat(32), '2'.repeat(32)]

// Made at 10:00.
async function shortLink(changes: object = {}): Promise<Payer> {
  return makeLink(await openShop(world()), { MerchID: 2, ExpiresOn: end.toString(), ...changes })
}

type Asked = Extract<PayAnswer, { kind: 'challenge' }>

async function goToBank(payer: Payer, number = ''): Promise<Asked> {
  const asked = await pressPay(payer, { number, typed: { number: cards.challenged } })
  assert(asked.kind === 'challenge')
  return asked
}

async function confirm({ till: { needs } }: Payer, { challenge }: Asked): Promise<void> {
  const id = challenge.address.split('/').at(-1) ?? ''
  const { code = '' } = (await needs.payerBank.find(id)) ?? {}
  await needs.payerBank.answer(id, { kind: 'code', digits: code })
}

function comeBack(payer: Payer, { challenge }: Asked, more: object = {}): Promise<PayAnswer> {
  return pressPay(payer, { typed: { challenge: challenge.sealed, ...more } })
}

async function runExpiry({ till }: Payer): Promise<void> {
  const { accountId } = till.account
  const at = till.needs.clock.now()
  const signal = new AbortController().signal
  await expireLinksWork.runDue(till.needs, { accountId, at, signal, tell: async () => undefined })
}

const endings = async ({ till }: Payer) =>
  (await eventsOf(till)).filter((type) => type === 'link.expired' || type === 'link.paid')

const stateOf = async ({ till, url }: Payer) => (await findLink(till, url))['State']

test('a payer who went to the bank in time has paid, though the link expired meanwhile', async () => {
  const payer = await shortLink()
  const asked = await goToBank(payer)
  await confirm(payer, asked)
  payer.till.needs.clock.advance({ minutes: 6 })
  await runExpiry(payer)
  assert.equal(await stateOf(payer), 'PAYING')
  assert.deepEqual(await comeBack(payer, asked), { kind: 'paid' })
  assert.equal(await stateOf(payer), 'PAID')
  assert.deepEqual(await chargesAt(payer.till), [12_500n])
  assert.deepEqual(await endings(payer), ['link.paid'])
})

test('nothing new begins on a link that has expired, also while its payer is at the bank', async () => {
  const payer = await shortLink({ SingleUse: 0 })
  const asked = await goToBank(payer, one)
  await confirm(payer, asked)
  const page = await formOf(payer, two)
  payer.till.needs.clock.advance({ minutes: 6 })
  const recognized = { number: cards.recognized }
  assert.deepEqual(await pressPay(payer, { number: one, typed: recognized }), { kind: 'stale' })
  assert.deepEqual(await pressPay(payer, { number: two, typed: recognized, page }), { kind: 'stale' })
  const pretended = { ...recognized, challenge: asked.challenge.sealed }
  assert.deepEqual(await pressPay(payer, { number: two, typed: pretended, page }), { kind: 'stale' })
  assert.deepEqual(await chargesAt(payer.till), [])
  const back = { challenge: asked.challenge.sealed }
  assert.deepEqual(await pressPay(payer, { number: one, typed: back }), { kind: 'paid' })
  assert.deepEqual(await chargesAt(payer.till), [12_500n])
})

test('a link whose payer does not come back from the bank expires after ten minutes, once', async () => {
  const payer = await shortLink()
  await goToBank(payer)
  const { needs, account } = payer.till
  const from = needs.clock.now()
  const span = { accountId: account.accountId, after: from, until: minutesLater(60) }
  assert.deepEqual(await expireLinksWork.nextDue(needs, span), minutesLater(5))
  needs.clock.advance({ minutes: 9 })
  await runExpiry(payer)
  assert.deepEqual([await stateOf(payer), await endings(payer)], ['PAYING', []])
  assert.deepEqual(await expireLinksWork.accountsDue(needs, needs.clock.now()), [])
  needs.clock.advance({ minutes: 1 })
  assert.equal(await stateOf(payer), 'EXPIRED')
  await runExpiry(payer)
  await runExpiry(payer)
  assert.deepEqual([await stateOf(payer), await endings(payer)], ['EXPIRED', ['link.expired']])
})

test('a link is not kept for a payer who turned round before the bank', async () => {
  const payer = await shortLink()
  const asked = await goToBank(payer)
  payer.till.needs.clock.advance({ minutes: 6 })
  assert.deepEqual(await comeBack(payer, asked, { leave: '1' }), { kind: 'declined', family: 'interrupted' })
  assert.equal(await stateOf(payer), 'EXPIRED')
  assert.deepEqual(await comeBack(payer, asked), { kind: 'stale' })
})
