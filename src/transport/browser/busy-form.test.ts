import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { formPath } from '#capabilities/forms/form-token.operation.ts'
import { Admission } from '#transport/admission.ts'
import { registerForms } from '#transport/browser/form-routes.ts'
import { keepOutcomes } from '#transport/outcome-note.ts'
import { goodCard, type Guest, look, openForm } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

type Asked = { readonly admission: Admission; readonly accept: string }

// Presses the button of the page as it is now.
async function pressPay(guest: Guest, { admission, accept }: Asked) {
  const { pageKey, form } = await look(guest)
  await using app = fastify()
  keepOutcomes(app)
  registerForms(app, { context: guest.till.needs, admission })
  const total = String(form.amount?.minor)
  return await app.inject({
    method: 'POST',
    url: `${formPath}?s=${guest.token.reveal()}`,
    headers: {
      accept,
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
    },
    payload: new URLSearchParams({ ...goodCard, k: pageKey, total }).toString(),
  })
}

const houseFor = (inFlightMax: number) =>
  new Admission({ inFlightMax, waitMsMax: 1, loopDelayMsMax: 200, loopDelayMs: () => 0 })

for (const [who, accept, status] of [
  ['a script', 'application/json', 200],
  ['a browser without script', 'text/html', 422],
] as const) {
  test(`in a full house ${who} is told that nothing was charged, and the form stays open`, async () => {
    const guest = await openForm(await openTill(world()))
    const admission = houseFor(1)
    assert.equal(await admission.enter('money'), true)
    const answer = await pressPay(guest, { admission, accept })
    assert.equal(answer.statusCode, status)
    assert.match(answer.body, /We are very busy right now/)
    assert.match(answer.body, /Nothing was charged/)
    assert.equal((await look(guest)).standing, 'open')
    admission.leave()
  })

  test(`with a card that pays eight other forms just now ${who} is asked to wait for them`, async () => {
    const needs = { ...world(), hasFormLimits: true }
    const till = { ...(await openTill(needs)), needs }
    const digest = needs.keyRing.keyedDigest('form-try', '4111111111111111').toString('hex')
    for (let others = 0; others < 8; others++) {
      const { form } = await look(await openForm(till))
      needs.triesUnderWay.enter(form.formId, { declinesOfCardInDay: `card ${digest}` })
    }
    const guest = await openForm(till)
    const answer = await pressPay(guest, { admission: houseFor(1), accept })
    assert.equal(answer.statusCode, status)
    assert.match(answer.body, /Other payments with this card or account are still under way/)
    assert.doesNotMatch(answer.body, /Too many payments/)
    assert.equal((await look(guest)).standing, 'open')
  })
}
