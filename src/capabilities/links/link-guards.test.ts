import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { hasLeadingZeros } from '#capabilities/form-payments/card-testing.ts'
import { expireFormsWork } from '#capabilities/forms/expire-forms.task.ts'
import { overPage } from '#capabilities/links/link.page.ts'
import { noPictures } from '#capabilities/forms/picture-file.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { formAssets } from '#transport/browser/form-assets.ts'
import { forgetOldTries } from '#capabilities/form-payments/guard-tries.operation.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import {
  chargesAt,
  findLink,
  formOf,
  lookAt,
  makeLink,
  type Payer,
  type Press,
  pressPay,
} from '../../../test/support/link-world.ts'
import { slowBank } from '../../../test/support/slow-bank.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()
const badCard = { number: '4000000000000002' }

async function openWatchedTill(): Promise<Till> {
  const needs = { ...world(), hasFormLimits: true }
  // What other tests have tried counts no more.
  await forgetOldTries({ ...needs, clock: { now: () => Temporal.Instant.from('2099-01-01T00:00:00Z') } })
  return { ...(await openTill(needs)), needs }
}

// As a browser does that is asked to work first.
async function press(payer: Payer, pressed: Press): Promise<string> {
  const asked = await pressPay(payer, pressed)
  if (asked.kind !== 'puzzle') return asked.kind
  const { text, bits } = asked.puzzle
  for (let proof = 0; ; proof++) {
    const digest = createHash('sha256').update(`${text}:${proof}`).digest()
    const typed = { ...pressed.typed, proof: String(proof) }
    if (hasLeadingZeros(digest, bits)) return (await pressPay(payer, { ...pressed, typed })).kind
  }
}

const visits = Array.from({ length: 9 }, (_, at) => String(at).repeat(32))

describe('a link for many payments', () => {
  test('counts the declines of all its visits together', async () => {
    const payer = await makeLink(await openWatchedTill(), { SingleUse: 0 })
    const kinds: string[] = []
    for (const number of visits.slice(0, 4))
      kinds.push((await pressPay(payer, { number, typed: badCard })).kind)
    assert.deepEqual(kinds, ['declined', 'declined', 'declined', 'puzzle'])
    for (const number of visits.slice(4, 6))
      assert.equal(await press(payer, { number, typed: badCard }), 'declined')
    assert.equal(await press(payer, { number: visits[6] ?? '', typed: badCard }), 'blocked')
    payer.till.needs.clock.advance({ minutes: 61 })
    assert.equal(await press(payer, { number: visits[7] ?? '' }), 'paid', 'for an hour, not for good')
  })

  test('lets nobody try more cards without work who opens all its visits at once', async () => {
    const payer = await makeLink(await openWatchedTill(), { SingleUse: 0 })
    const { till } = payer
    // One more at once would have to wait, because it is one card: whether it comes at once is chance.
    const eight = visits.slice(0, 8)
    const { attempts, comes } = slowBank(till.needs, { least: eight.length })
    const slow = { ...payer, till: { ...till, needs: { ...till.needs, attempts } } }
    const kinds = await Promise.all(
      eight.map(async (number) => {
        const { kind } = await pressPay(slow, { number, typed: badCard })
        if (kind !== 'declined') comes()
        return kind
      }),
    )
    const expected = [...Array<string>(3).fill('declined'), ...Array<string>(5).fill('puzzle')]
    assert.deepEqual(kinds.toSorted(), expected)
  })

  test('is paid by many without any work', async () => {
    const payer = await makeLink(await openWatchedTill(), { SingleUse: 0 })
    for (const number of visits) assert.deepEqual(await pressPay(payer, { number }), { kind: 'paid' })
  })

  test('keeps nothing of a payment that no page of ours has sent', async () => {
    const payer = await makeLink(await openTill(world()), { SingleUse: 0 })
    for (const number of visits)
      assert.deepEqual(await pressPay(payer, { number, typed: { k: 'made up' } }), { kind: 'stale' })
    assert.deepEqual((await call(payer.till, 'Form/Query', {})).members['Forms'], [])
  })
})

test('a link that expires is told of, and not its forms', async () => {
  const { till, ...payer } = await makeLink(await openTill(world()), { SingleUse: 0 })
  for (const number of visits.slice(0, 3)) await pressPay({ till, ...payer }, { number, typed: badCard })
  const after = till.needs.clock.now()
  const until = after.add({ hours: 24 * 31 })
  const { accountId } = till.account
  assert.equal(await expireFormsWork.nextDue(till.needs, { accountId, after, until }), null)
  till.needs.clock.advance({ hours: 24 * 31 })
  assert.deepEqual(await expireFormsWork.accountsDue(till.needs, till.needs.clock.now()), [])
  assert.deepEqual(await runDueNow(till.needs, expireFormsWork, accountId), [])
})

describe('a link for one payment on which too many cards were tried', () => {
  const text = { MessageType: 'TEXT', Person: { Phone: '+12125550123' } }

  test('is locked for all to see, and begins anew when it is sent again', async () => {
    const till = await openWatchedTill()
    const payer = await makeLink(till, text)
    for (let tries = 0; tries < 5; tries++) assert.equal(await press(payer, { typed: badCard }), 'declined')
    const page = await formOf(payer)
    assert.equal(await press(payer, { typed: badCard }), 'closed')
    const { LinkID, State } = await findLink(till, payer.url)
    assert.equal(State, 'LOCKED')
    const known = { assets: formAssets(), pictures: noPictures, isSandbox: true, address: '' }
    const scene = { tongue: tongueFor('en-US', ''), ...known }
    const over = { standing: 'locked', isUncharged: true, askAt: '' } as const
    const { text: shown } = overPage(await lookAt(payer), scene, over)
    assert.match(shown, /Too many cards were tried\. Ask Corner Books to send it again\. Nothing was charged/)
    assert.deepEqual(await pressPay(payer, { page }), { kind: 'stale' }, 'not even by a page from before')
    assert.equal(Object((await call(till, 'Link/Resend', { LinkID })).members['Link'])['State'], 'OPEN')
    assert.deepEqual(await pressPay(payer, { page }), { kind: 'stale' }, 'the old page is over')
    assert.equal(await press(payer, {}), 'paid')
    assert.deepEqual(await chargesAt(till), [12_500n])
  })
})

async function consentAt(till: Till, AccountNumber: string, ZIP = ''): Promise<unknown> {
  const told = await call(till, 'ConsentAnnual/Create_MAN', {
    ccCardInfo: { AccountNumber, ExpMonth: 12, ExpYear: 2030 },
    ConsentCreator: { MerchID: 1 },
    AcctHolder: { Firstname: 'Ada', Lastname: 'Miller', BillIngAdress: { ZIP } },
  })
  assert.equal(told.code, 0, told.text)
  return told.members['ConsentID']
}

describe('a card on file', () => {
  const onFile = { method: 'onfile', fileCode: '123' }

  test('is not taken for another with the same last four digits', async () => {
    const declining = '4000000000000341'
    const first = await openWatchedTill()
    const ConsentID = await consentAt(first, declining)
    for (let tries = 0; tries < 4; tries++) {
      const payer = await makeLink(first, { ConsentID })
      assert.equal((await pressPay(payer, { typed: onFile })).kind, 'declined')
    }
    const again = await pressPay(await makeLink(first, { ConsentID }), { typed: onFile })
    assert.equal(again.kind, 'puzzle', 'this card was declined too often')
    const second = await openTill(first.needs)
    const other = await makeLink(second, { ConsentID: await consentAt(second, declining) })
    assert.equal((await pressPay(other, { typed: onFile })).kind, 'declined')
  })

  test('has to match as the options of the link demand', async () => {
    const till = await openTill(world())
    const ConsentID = await consentAt(till, '4111111111111111', '46205')
    const payer = await makeLink(till, { ConsentID, OptParam: 'VISIBLE|A060|OPTIONS|0288' })
    assert.deepEqual(await pressPay(payer, { typed: onFile }), { kind: 'pending' }, 'it is taken back')
  })
})
