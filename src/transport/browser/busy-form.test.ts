import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { formPath } from '#capabilities/forms/form-token.operation.ts'
import { Admission } from '#transport/admission.ts'
import { registerForms } from '#transport/browser/form-routes.ts'
import { keepOutcomes } from '#transport/outcome-note.ts'
import { goodCard, look, openForm } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()

for (const [who, accept, status] of [
  ['a script', 'application/json', 200],
  ['a browser without script', 'text/html', 422],
] as const) {
  test(`in a full house ${who} is told that nothing was charged, and the form stays open`, async () => {
    const till = await openTill(world())
    const guest = await openForm(till)
    const { pageKey, form } = await look(guest)
    const admission = new Admission({
      inFlightMax: 1,
      waitMsMax: 1,
      loopDelayMsMax: 200,
      loopDelayMs: () => 0,
    })
    assert.equal(await admission.enter('money'), true)
    const app = fastify()
    keepOutcomes(app)
    registerForms(app, { context: till.needs, admission })
    const total = String(form.amount?.minor)
    const answer = await app.inject({
      method: 'POST',
      url: `${formPath}?s=${guest.token.reveal()}`,
      headers: {
        accept,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
      payload: new URLSearchParams({ ...goodCard, k: pageKey, total }).toString(),
    })
    assert.equal(answer.statusCode, status)
    assert.match(answer.body, /We are very busy right now/)
    assert.match(answer.body, /Nothing was charged/)
    assert.equal((await look(guest)).standing, 'open')
    admission.leave()
    await app.close()
  })
}
