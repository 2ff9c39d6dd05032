import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { hasLeadingZeros, judgeTry, type TryVerdict } from '#capabilities/form-payments/card-testing.ts'
import { percentOf, triesIfMostlyDeclined } from '#engine/card-tries/card-counts.ts'
import { forgetOldTries } from '#capabilities/form-payments/guard-tries.operation.ts'
import { look, openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { slowBank } from '../../../test/support/slow-bank.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()
const watched = () => ({ ...world(), hasFormLimits: true })
const declining = '4000000000000002'
const approving = [
  '4111111111111111',
  '4000000000000010',
  '4000000000000028',
  '4000000000000036',
  '5105105105105100',
]

const quiet = {
  ofForm: 0,
  otherCardsOfForm: 0,
  declinesOfNetworkInHour: 0,
  declinesOfCardInDay: 0,
  declinesOfLinkInHour: 0,
  declinesOfLinkFromNetworkInHour: 0,
  declinedBinTriesInTenMinutes: 0,
  invalidPercentInHour: 0,
  zeroTriesInMinute: 0,
}
const cases: readonly [Partial<typeof quiet>, TryVerdict][] = [
  [{}, 'free'],
  [{ ofForm: 2 }, 'free'],
  [{ ofForm: 3 }, 'puzzle'],
  [{ ofForm: 5 }, 'closed'],
  [{ otherCardsOfForm: 2 }, 'puzzle'],
  [{ otherCardsOfForm: 3 }, 'closed'],
  [{ declinesOfNetworkInHour: 5 }, 'puzzle'],
  [{ declinesOfNetworkInHour: 15 }, 'blocked'],
  [{ declinesOfCardInDay: 4 }, 'puzzle'],
  [{ declinesOfCardInDay: 8 }, 'blocked'],
  [{ declinesOfLinkInHour: 3 }, 'puzzle'],
  [{ declinesOfLinkInHour: 15 }, 'blocked'],
  [{ declinesOfLinkFromNetworkInHour: 5 }, 'blocked'],
  [{ declinedBinTriesInTenMinutes: 19 }, 'free'],
  [{ declinedBinTriesInTenMinutes: 20 }, 'puzzle'],
  [{ declinedBinTriesInTenMinutes: 50 }, 'blocked'],
  [{ invalidPercentInHour: percentOf({ part: 10, of: 100 }) }, 'free'],
  [{ invalidPercentInHour: percentOf({ part: 50, of: 99 }) }, 'free'],
  [{ invalidPercentInHour: percentOf({ part: 11, of: 100 }) }, 'puzzle'],
  [{ invalidPercentInHour: percentOf({ part: 21, of: 100 }) }, 'blocked'],
  [{ zeroTriesInMinute: 30 }, 'puzzle'],
  [{ zeroTriesInMinute: 120 }, 'blocked'],
]
for (const [counts, verdict] of cases) {
  test(`after ${JSON.stringify(counts)} the next try is ${verdict}`, () => {
    assert.equal(judgeTry({ ...quiet, ...counts }, {}), verdict)
  })
}

const openCases: readonly [Partial<typeof quiet>, Partial<typeof quiet>, TryVerdict][] = [
  [{ declinesOfNetworkInHour: 2 }, { declinesOfNetworkInHour: 2 }, 'free'],
  [{ declinesOfNetworkInHour: 2 }, { declinesOfNetworkInHour: 3 }, 'puzzle'],
  [{ declinesOfNetworkInHour: 14 }, { declinesOfNetworkInHour: 100 }, 'puzzle'],
  [{ declinesOfNetworkInHour: 15 }, { declinesOfNetworkInHour: 1 }, 'blocked'],
  [{}, { declinesOfLinkInHour: 2 }, 'free'],
  [{ declinesOfLinkInHour: 1 }, { declinesOfLinkInHour: 100 }, 'puzzle'],
  [{ declinesOfLinkFromNetworkInHour: 1 }, { declinesOfLinkFromNetworkInHour: 2 }, 'puzzle'],
  [{ declinesOfLinkFromNetworkInHour: 4 }, { declinesOfLinkFromNetworkInHour: 100 }, 'puzzle'],
  [{ declinesOfCardInDay: 1 }, { declinesOfCardInDay: 3 }, 'puzzle'],
  [{ declinesOfCardInDay: 1 }, { declinesOfCardInDay: 7 }, 'later'],
  [{ declinesOfCardInDay: 8 }, { declinesOfCardInDay: 7 }, 'blocked'],
]
for (const [counts, open, verdict] of openCases) {
  const known = JSON.stringify(counts)
  test(`after ${known}, with ${JSON.stringify(open)} still open, the next try is ${verdict}`, () => {
    assert.equal(judgeTry({ ...quiet, ...counts }, open), verdict)
  })
}

test('cards alike count once more than four of five are declined', () => {
  assert.equal(triesIfMostlyDeclined({ part: 40, of: 50 }), 0)
  assert.equal(triesIfMostlyDeclined({ part: 41, of: 50 }), 50)
})

test('leading zero bits are counted exactly', () => {
  const digest = Uint8Array.from([0, 0b0001_0000, 255])
  assert.deepEqual(
    [8, 11, 12].map((bits) => hasLeadingZeros(digest, bits)),
    [true, true, false],
  )
})

function solve({ text, bits }: { readonly text: string; readonly bits: number }): string {
  for (let proof = 0; ; proof++) {
    const digest = createHash('sha256').update(`${text}:${proof}`).digest()
    if (hasLeadingZeros(digest, bits)) return String(proof)
  }
}

test('after three tries a browser has to work, and after five the form is closed', async () => {
  const needs = watched()
  const guest = await openForm({ ...(await openTill(needs)), needs })
  for (let tried = 0; tried < 3; tried++)
    assert.equal((await press(guest, { number: declining })).kind, 'declined')
  for (let tried = 3; tried < 5; tried++) {
    const asked = await press(guest, { number: declining })
    assert(asked.kind === 'puzzle')
    assert.equal((await press(guest, { number: declining, proof: '1x' })).kind, 'puzzle')
    assert.equal((await press(guest, { number: declining, proof: solve(asked.puzzle) })).kind, 'declined')
  }
  assert.equal((await press(guest, { number: declining })).kind, 'closed')
  assert.equal((await look(guest)).standing, 'closed')
})

test('a card that was declined eight times today is tried nowhere', async () => {
  const needs = watched()
  const till = { ...(await openTill(needs)), needs }
  const kinds: string[] = []
  for (let form = 0; form < 9; form++) {
    const guest = await openForm(till)
    const first = await press(guest, { number: '4000000000009987' })
    const answer =
      first.kind === 'puzzle'
        ? await press(guest, { number: '4000000000009987', proof: solve(first.puzzle) })
        : first
    kinds.push(answer.kind)
  }
  assert.deepEqual(kinds, [...Array<string>(8).fill('declined'), 'blocked'])
  needs.clock.advance({ hours: 25 })
  await forgetOldTries(needs)
  assert.equal((await press(await openForm(till), { number: '4000000000009987' })).kind, 'declined')
})

test('a page that comes too late counts for nothing', async () => {
  const needs = watched()
  const guest = await openForm({ ...(await openTill(needs)), needs })
  const page = await look(guest)
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => press(guest, { number: declining }, page)),
  )
  assert.deepEqual(answers.map(({ kind }) => kind).toSorted(), ['declined', 'stale', 'stale'])
  for (let tried = 1; tried < 3; tried++)
    assert.equal((await press(guest, { number: declining })).kind, 'declined', 'no puzzle yet')
})

test('of twenty cards that somebody tries at once no more get through than one after the other', async () => {
  const needs = watched()
  const till = { ...(await openTill(needs)), needs }
  // What other tests have tried counts no more.
  await forgetOldTries({ ...needs, clock: { now: () => Temporal.Instant.from('2099-01-01T00:00:00Z') } })
  const guests = await Promise.all(Array.from({ length: 20 }, () => openForm(till)))
  const answers = await Promise.all(guests.map((guest) => press(guest, { number: declining })))
  const declined = answers.filter(({ kind }) => kind === 'declined')
  // The fifth of the same card and the sixth of the same network have to work first.
  assert.equal(declined.length, 4)
  assert(
    answers.every(({ kind }) => kind !== 'blocked'),
    'no more than four did not go through',
  )
  const again = await Promise.all(
    answers.flatMap((answer, at) => {
      const guest = guests[at]
      if (!guest || answer.kind !== 'puzzle') return []
      return [press(guest, { number: declining, proof: solve(answer.puzzle) })]
    }),
  )
  assert.equal(again.filter(({ kind }) => kind === 'declined').length, 4, 'eight of one card in a day')
})

test('of twenty who pay at once by one network all are paid, however slow their bank is', async () => {
  const needs = watched()
  const till = { ...(await openTill(needs)), needs }
  await forgetOldTries({ ...needs, clock: { now: () => Temporal.Instant.from('2099-01-01T00:00:00Z') } })
  const guests = await Promise.all(Array.from({ length: 20 }, () => openForm(till)))
  const { attempts, comes } = slowBank(needs, { least: guests.length })
  const slow = { ...till, needs: { ...needs, attempts } }
  let puzzles = 0
  const paying = guests.map(async (guest, at) => {
    const [payer, number] = [{ ...guest, till: slow }, approving[at % approving.length] ?? '']
    const first = await press(payer, { number })
    if (first.kind === 'puzzle') puzzles += 1
    const answer =
      first.kind === 'puzzle' ? await press(payer, { number, proof: solve(first.puzzle) }) : first
    if (answer.kind !== 'paid') comes()
    return answer.kind
  })
  assert.deepEqual(await Promise.all(paying), Array<string>(20).fill('paid'))
  assert.equal(puzzles, 15, 'all but five work for it')
})

test('payers who have paid leave room for others from the same network', async () => {
  const needs = watched()
  const till = { ...(await openTill(needs)), needs }
  await forgetOldTries({ ...needs, clock: { now: () => Temporal.Instant.from('2099-01-01T00:00:00Z') } })
  for (let round = 0; round < 4; round++) {
    const guests = await Promise.all(Array.from({ length: 4 }, () => openForm(till)))
    const answers = await Promise.all(guests.map((guest) => press(guest)))
    assert(answers.every(({ kind }) => kind === 'paid'))
  }
})

test('a try that a fault of ours ends is under way no more', async () => {
  const needs = watched()
  const till = { ...(await openTill(needs)), needs }
  const [guest, other] = [await openForm(till), await look(await openForm(till))]
  const broken = { ...needs, attempts: { ...needs.attempts, add: () => Promise.reject(new Error('broken')) } }
  await assert.rejects(press({ ...guest, till: { ...till, needs: broken } }))
  const mark = { declinesOfNetworkInHour: 'network 203.0.113.7' }
  assert.deepEqual(needs.triesUnderWay.enter(other.form.formId, mark), { declinesOfNetworkInHour: 0 })
})
