import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { followers } from '#capabilities/followers.ts'
import { noteOpening } from '#capabilities/links/show-link.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Crash, type CrashPoint, usualPatience } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { Secret } from '#kernel/secret.ts'
import {
  chargesAt,
  findLink,
  formOf,
  lookAt,
  makeLink,
  type Payer,
  pressPay,
} from '../../../test/support/link-world.ts'
import { cards, openShop } from '../../../test/support/order-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, eventsOf, openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()
const badCard = { number: '4000000000000002' }

async function stateOf({ till, url }: Payer): Promise<unknown> {
  return (await findLink(till, url))['State']
}

async function consentAt(till: Till, terms: object = {}): Promise<number> {
  const told = await call(till, 'ConsentAnnual/Create_MAN', {
    ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 },
    ConsentCreator: { MerchID: 1, ...terms },
    AcctHolder: { Firstname: 'Ada', Lastname: 'Miller' },
  })
  assert.equal(told.code, 0, told.text)
  return Number(told.members['ConsentID'])
}

describe('a link for one payment', () => {
  test('is paid once and for all, and says by which transaction', async () => {
    const payer = await makeLink(await openTill(world()))
    assert.deepEqual(await pressPay(payer), { kind: 'paid' })
    const { State, Payments, TransactionID } = await findLink(payer.till, payer.url)
    assert.deepEqual([State, Payments], ['PAID', 1])
    assert(Number(TransactionID) > 0)
    assert.deepEqual(await pressPay(payer), { kind: 'stale' })
    assert.deepEqual(await chargesAt(payer.till), [12_500n])
    assert.deepEqual(await eventsOf(payer.till), ['payment.approved', 'link.paid'])
  })

  test('in 20 tabs, paid in all of them at once: one charge', async () => {
    const payer = await makeLink(await openTill(world()))
    const page = await formOf(payer)
    const answers = await Promise.all(Array.from({ length: 20 }, () => pressPay(payer, { page })))
    const kinds = answers.map(({ kind }) => kind).toSorted()
    assert.deepEqual(kinds, ['paid', ...Array.from({ length: 19 }, () => 'stale')])
    assert.deepEqual(await chargesAt(payer.till), [12_500n])
    assert.equal((await findLink(payer.till, payer.url))['Payments'], 1)
  })

  test('is not used up by whoever only looks, such as a machine that shows previews', async () => {
    const payer = await makeLink(await openTill(world()))
    for (let looks = 0; looks < 5; looks++) {
      await noteOpening(payer.till.needs, await lookAt(payer))
      await formOf(payer)
    }
    assert.deepEqual(await eventsOf(payer.till), ['link.opened'])
    const made = await call(payer.till, 'Form/Query', {})
    assert.deepEqual(made.members['Forms'], [], 'looking makes no form')
    assert.deepEqual(await pressPay(payer), { kind: 'paid' })
  })

  test('stays open after a decline, and a page that was loaded before is no good any more', async () => {
    const payer = await makeLink(await openTill(world()))
    const page = await formOf(payer)
    assert.deepEqual(await pressPay(payer, { typed: badCard, page }), {
      kind: 'declined',
      family: 'declined',
    })
    assert.equal(await stateOf(payer), 'OPEN')
    assert.deepEqual(await pressPay(payer, { page }), { kind: 'stale' })
    assert.deepEqual(await pressPay(payer), { kind: 'paid' })
  })

  test('cannot be paid once it is expired, by the clock of the account', async () => {
    const payer = await makeLink(await openTill(world()))
    const page = await formOf(payer)
    payer.till.needs.clock.advance({ hours: 24 * 30 + 1 })
    assert.equal(await stateOf(payer), 'EXPIRED')
    assert.deepEqual(await pressPay(payer, { page }), { kind: 'stale' })
    assert.deepEqual(await chargesAt(payer.till), [])
  })

  test('cannot be paid once it is withdrawn, not even by a page that stands open', async () => {
    const payer = await makeLink(await openTill(world()))
    const [page, { LinkID }] = [await formOf(payer), await findLink(payer.till, payer.url)]
    await call(payer.till, 'Link/Withdraw', { LinkID })
    assert.deepEqual(await pressPay(payer, { page }), { kind: 'stale' })
    assert.deepEqual(await chargesAt(payer.till), [])
  })

  test('withdrawn in the very moment of payment is either paid or withdrawn', async () => {
    const payer = await makeLink(await openTill(world()))
    const { LinkID } = await findLink(payer.till, payer.url)
    const [paid, told] = await Promise.all([pressPay(payer), call(payer.till, 'Link/Withdraw', { LinkID })])
    const state = await stateOf(payer)
    assert.equal(state, paid.kind === 'paid' ? 'PAID' : 'WITHDRAWN')
    assert.equal(told.code, paid.kind === 'paid' ? 6612 : 0)
    assert.equal((await chargesAt(payer.till)).length, paid.kind === 'paid' ? 1 : 0)
  })
})

describe('a link for many payments', () => {
  test('is paid by many at once, each on a form of its own, and stays open', async () => {
    const payer = await makeLink(await openTill(world()), { SingleUse: 0 })
    const visits = Array.from({ length: 5 }, (_, at) => String(at).repeat(32))
    const answers = await Promise.all(visits.map((number) => pressPay(payer, { number })))
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      Array.from({ length: 5 }, () => 'paid'),
    )
    const { State, Payments } = await findLink(payer.till, payer.url)
    assert.deepEqual([State, Payments], ['OPEN', 5])
    assert.deepEqual(await pressPay(payer, { number: visits[0] ?? '' }), { kind: 'stale' })
    assert.equal((await chargesAt(payer.till)).length, 5)
  })
})

describe('a card on file', () => {
  const onFile = { method: 'onfile', fileCode: '123' }

  test('pays with nothing but its security code, under the consent', async () => {
    const till = await openTill(world())
    const ConsentID = await consentAt(till)
    const payer = await makeLink(till, { ConsentID })
    assert.deepEqual(await pressPay(payer, { typed: onFile }), { kind: 'paid' })
    const { attempt } = await formOf(payer)
    assert.deepEqual(
      [attempt?.details.consentId, attempt?.details.lastFour, attempt?.details.origin],
      [String(ConsentID), '1111', 'WID'],
    )
  })

  test('asks for the code', async () => {
    const till = await openTill(world())
    const payer = await makeLink(till, { ConsentID: await consentAt(till) })
    for (const fileCode of ['', '12', '1234', 'abc']) {
      const answer = await pressPay(payer, { typed: { ...onFile, fileCode } })
      assert(answer.kind === 'problems')
      assert.deepEqual([...answer.problems], [['fileCode', 'code_three']])
    }
    assert.deepEqual(await chargesAt(till), [])
  })

  for (const limit of ['LimitPerCharge', 'LimitLifeTime']) {
    test(`is not offered for more than ${limit}, and another card still pays`, async () => {
      const till = await openTill(world())
      const payer = await makeLink(till, { ConsentID: await consentAt(till, { [limit]: 124.99 }) })
      assert.equal((await pressPay(payer, { typed: { ...onFile, number: '' } })).kind, 'problems')
      assert.deepEqual(await chargesAt(till), [])
      assert.deepEqual(await pressPay(payer), { kind: 'paid' })
    })
  }

  test('is not offered before its consent begins, and another card still pays', async () => {
    const till = await openTill(world())
    const ConsentID = await consentAt(till, { StartDate: '2027-01-16', NumDays: 30 })
    const payer = await makeLink(till, { ConsentID })
    assert.equal((await pressPay(payer, { typed: { ...onFile, number: '' } })).kind, 'problems')
    assert.deepEqual(await pressPay(payer), { kind: 'paid' })
  })

  test('is offered on the first day of its consent', async () => {
    const till = await openTill(world())
    const ConsentID = await consentAt(till, { StartDate: '2027-01-15', NumDays: 30 })
    const payer = await makeLink(till, { ConsentID })
    assert.deepEqual(await pressPay(payer, { typed: onFile }), { kind: 'paid' })
  })

  test('is charged up to the limits of its consent', async () => {
    const till = await openTill(world())
    const limits = { LimitPerCharge: 125, LimitLifeTime: 125 }
    const payer = await makeLink(till, { ConsentID: await consentAt(till, limits) })
    assert.deepEqual(await pressPay(payer, { typed: onFile }), { kind: 'paid' })
  })

  test('is not offered by a link without a consent', async () => {
    const till = await openTill(world())
    await consentAt(till)
    const payer = await makeLink(till, { ConsentID: 0 })
    assert.equal((await pressPay(payer, { typed: { ...onFile, number: '' } })).kind, 'problems')
  })

  test('is not offered any more once its consent is cancelled', async () => {
    const till = await openTill(world())
    const ConsentID = await consentAt(till)
    const payer = await makeLink(till, { ConsentID })
    await call(till, 'ConsentAnnual/Cancel', { ConsentID })
    assert.equal((await pressPay(payer, { typed: { ...onFile, number: '' } })).kind, 'problems')
    assert.deepEqual(await pressPay(payer), { kind: 'paid' })
  })
})

describe('a link in an international record', () => {
  test('is taken when the charge begins, not when the payer goes to the bank', async () => {
    const payer = await makeLink(await openShop(world()), { MerchID: 2 })
    const { needs } = payer.till
    const asked = await pressPay(payer, { typed: { number: cards.challenged } })
    assert(asked.kind === 'challenge')
    assert.equal(await stateOf(payer), 'OPEN')
    const id = asked.challenge.address.split('/').at(-1) ?? ''
    const { code = '' } = (await needs.payerBank.find(id)) ?? {}
    await needs.payerBank.answer(id, { kind: 'code', digits: code })
    const back = { challenge: asked.challenge.sealed }
    assert.deepEqual(await pressPay(payer, { typed: back }), { kind: 'paid' })
    const { State, Payments } = await findLink(payer.till, payer.url)
    assert.deepEqual([State, Payments], ['PAID', 1])
    assert.deepEqual(await chargesAt(payer.till), [12_500n])
  })

  test('that was withdrawn while the payer was at the bank is not charged', async () => {
    const payer = await makeLink(await openShop(world()), { MerchID: 2 })
    const { needs } = payer.till
    const asked = await pressPay(payer, { typed: { number: cards.challenged } })
    assert(asked.kind === 'challenge')
    const page = await formOf(payer)
    const { LinkID } = await findLink(payer.till, payer.url)
    const id = asked.challenge.address.split('/').at(-1) ?? ''
    const { code = '' } = (await needs.payerBank.find(id)) ?? {}
    await needs.payerBank.answer(id, { kind: 'code', digits: code })
    await call(payer.till, 'Link/Withdraw', { LinkID })
    const typed = { challenge: asked.challenge.sealed }
    assert.deepEqual(await pressPay(payer, { typed, page }), { kind: 'stale' })
    assert.deepEqual(await chargesAt(payer.till), [])
  })
})

const crashPoints: readonly CrashPoint[] = [
  'before_t1_commit',
  'after_t1',
  'after_send',
  'before_t2',
  'after_t2',
]
for (const point of crashPoints) {
  test(`when the gateway dies ${point}, at most one charge stands and the link tells the truth`, async () => {
    const needs = world()
    const till = await openTill(needs)
    const payer = await makeLink(till)
    const dying = {
      ...needs,
      ...paymentEngine({
        ...needs,
        followers,
        patience: usualPatience,
        crashpoint: (at) => {
          if (at === point) throw new Crash()
        },
      }),
      clock: needs.clock,
    }
    const page = await formOf(payer)
    await assert.rejects(pressPay({ ...payer, till: { ...till, needs: dying } }, { page }))
    for (let round = 0; round < 5; round++) {
      needs.clock.advance({ minutes: 2 })
      await recoverAttempts(needs)
    }
    const charged = await chargesAt(till)
    const state = await stateOf(payer)
    assert.equal(state, charged.length === 1 ? 'PAID' : 'OPEN')
    const again = await pressPay({ ...payer, browser: new Secret('browser-2') })
    assert.equal(again.kind, state === 'PAID' ? 'stale' : 'paid')
    assert.equal((await chargesAt(till)).length, 1)
    assert.equal((await eventsOf(till)).filter((type) => type === 'link.paid').length, 1)
  })
}
