import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { removeAbandonedConsents } from '#capabilities/consents/remove-abandoned-consents.operation.ts'
import { repeatCreation } from '#capabilities/consents/create-consent.operation.ts'
import { repeatPlanCreation } from '#capabilities/recurring/create-recurring-consent.operation.ts'
import { removeAbandonedPlans } from '#capabilities/recurring/remove-abandoned-plans.operation.ts'
import { type Attempt, attemptId } from '#engine/payments/attempt.ts'
import { decideAttempt } from '#engine/payments/decide-attempt.operation.ts'
import type { Decision } from '#engine/payments/decision.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { int8 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { create, rowOf, unfinishedOf } from '../../../test/support/consent-world.ts'
import { look, openForm, press } from '../../../test/support/form-world.ts'
import { createPlan } from '../../../test/support/plan-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { call, openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()
const payAndSave = { eSubmission: '0608' }

const giveUpStatement = statement(
  'test_give_up_consents',
  [int8],
  {},
  `update consent set state = 'not_made' where account_id = $1`,
)

const newestAttemptStatement = statement(
  'test_newest_attempt_of_account',
  [int8],
  { attempt_id: int8 },
  `select attempt_id from attempt where account_id = $1 order by 1 desc limit 1`,
)

// A till whose bank never says what became of an authorization, and refuses to take anything back.
async function openMuteTill(): Promise<{ readonly till: Till; readonly heard: World }> {
  const heard = world()
  const unknown = { kind: 'unknown', because: 'timeout' } as const
  const acquirer: World['acquirer'] = {
    ...heard.acquirer,
    authorize: () => Promise.resolve(unknown),
    inquire: () => Promise.resolve(unknown),
    reverse: () => Promise.resolve({ kind: 'refused', code: '12' }),
  }
  const line = { isUp: true, check: () => Promise.resolve() }
  const mute = { ...heard, ...paymentEngine({ ...heard, acquirer }), clock: heard.clock, line }
  return { till: await openTill(mute), heard }
}

// Until nothing but an operator can tell what became of it.
async function passDays({ needs }: Till): Promise<void> {
  for (let day = 0; day < 9; day += 1) {
    needs.clock.advance({ hours: 24 })
    await recoverAttempts(needs)
    await removeAbandonedConsents(needs)
    await removeAbandonedPlans(needs)
  }
}

async function decide({ needs, account }: Till, outcome: Decision['outcome']): Promise<Attempt> {
  const [row] = await needs.db.run(newestAttemptStatement, [account.accountId])
  assert(row)
  const decision = { outcome, reason: 'told by the bank on the phone', operator: 'ann' }
  const decided = await decideAttempt(needs, attemptId(row.attempt_id), decision)
  assert(decided.ok)
  return decided.value
}

async function assertCharged(till: Till, ConsentID: number): Promise<void> {
  const charged = await call(till, 'ConsentAnnual/ChargeStoredCard', { ConsentID, Amounts: { BaseAmt: 1 } })
  assert.equal(charged.code, 0, charged.text)
}

describe('a consent whose outcome only an operator can tell', () => {
  test('can be charged once the operator has found its verification approved', async () => {
    const { till, heard } = await openMuteTill()
    await create(till.needs, till.caller)
    await passDays(till)
    const repeated = await repeatCreation(till.needs, await decide(till, 'approved'))
    assert(repeated.ok && repeated.value.consentId)
    await assertCharged({ ...till, needs: heard }, Number(repeated.value.consentId))
  })

  test('has its plan once the operator has found its verification approved', async () => {
    const { till } = await openMuteTill()
    await createPlan(till.needs, till.caller)
    await passDays(till)
    const repeated = await repeatPlanCreation(till.needs, await decide(till, 'approved'))
    assert(repeated.ok && repeated.value.consentId)
    assert.equal(repeated.value.schedule.length, 3)
  })

  test('that saved the card of a form can be charged once the payment is found approved', async () => {
    const { till, heard } = await openMuteTill()
    const guest = await openForm(till, {}, payAndSave)
    await press(guest, { save: '1' })
    await passDays(till)
    await decide(till, 'approved')
    const { form } = await look(guest)
    assert.equal(form.state, 'paid')
    assert(form.consentId)
    await assertCharged({ ...till, needs: heard }, Number(form.consentId))
  })

  test('leaves no card once the operator has found its verification declined', async () => {
    const { till } = await openMuteTill()
    await create(till.needs, till.caller)
    await passDays(till)
    const [id] = await unfinishedOf(till.needs.db, till.caller)
    assert(id)
    await decide(till, 'declined')
    await removeAbandonedConsents(till.needs)
    const { state, is_card_readable } = await rowOf(till.needs.db, id)
    assert.deepEqual({ state, is_card_readable }, { state: 'not_made', is_card_readable: false })
  })
})

describe('a consent that was given up before its outcome was decided is told to nobody', () => {
  test('by the repeated call that was to create it', async () => {
    const { till } = await openMuteTill()
    await create(till.needs, till.caller)
    await passDays(till)
    await till.needs.db.run(giveUpStatement, [till.account.accountId])
    const repeated = await repeatCreation(till.needs, await decide(till, 'approved'))
    assert(repeated.ok)
    assert.equal(repeated.value.consentId, null)
  })

  test('by the form that was to save its card', async () => {
    const { till } = await openMuteTill()
    const guest = await openForm(till, {}, payAndSave)
    await press(guest, { save: '1' })
    await passDays(till)
    await till.needs.db.run(giveUpStatement, [till.account.accountId])
    await decide(till, 'approved')
    const { form } = await look(guest)
    assert.deepEqual([form.state, form.consentId], ['paid', null])
  })
})
