import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Attempt, attemptId } from '#engine/payments/attempt.ts'
import { decideAttempt } from '#engine/payments/decide-attempt.operation.ts'
import type { Decision } from '#engine/payments/decision.ts'
import { fileLateAnswer } from '#engine/payments/late-answer.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { voidDone } from '#engine/payments/resolve-attempt.operation.ts'
import { listOpenAttempts, readBacklog } from '#engine/payments/watch-backlog.operation.ts'
import { newAttempt } from '../../../test/crash/attempt-builder.ts'
import { engineOn, openStage, type Stage, useLane } from '../../../test/crash/lane.ts'

type Scene = { readonly stage: Stage; readonly needs: PaymentNeeds; readonly attempt: Attempt }

const by = (outcome: Decision['outcome'], reason = 'told by the bank on the phone'): Decision => ({
  outcome,
  reason,
  operator: 'ann',
})

async function traceOf({ stage, attempt }: Scene): Promise<unknown> {
  const { rows } = await stage.client.query<object>(
    `select a.state, l.used::int as used,
       (select count(*)::int from posting p where p.attempt_id = a.attempt_id) as postings,
       (select array_agg(e.type order by e.event_id) from event e where e.object_id = a.attempt_id) as events,
       (select array_agg(p.status::text) from payment p where p.payment_id = a.attempt_id) as payments
     from attempt a join test_limit l on l.limit_id = a.account_id where a.attempt_id = $1`,
    [attempt.attemptId],
  )
  return rows[0]
}

async function lastEventOf({ stage, attempt }: Scene): Promise<unknown> {
  const { rows } = await stage.client.query<object>(
    `select from_state, to_state, cause, reason, decided_by, is_late from attempt_event
     where attempt_id = $1 order by attempt_event_id desc limit 1`,
    [attempt.attemptId],
  )
  return rows[0]
}

describe('what only an operator can end', () => {
  const lane = useLane()

  async function begin(name: string): Promise<Scene> {
    const stage = await openStage(lane(), name)
    const { needs } = engineOn(stage)
    const following = [{ follower: 'limit', subject: stage.limit, detail: null }]
    const wish = { account: stage.account, ref: `${name}-${stage.account}`, at: stage.time.now(), following }
    const verdict = await needs.attempts.add(newAttempt(wish))
    assert(verdict.kind === 'sending')
    return { stage, needs, attempt: verdict.attempt }
  }

  // The bank is silent for a week.
  async function manual(name: string): Promise<Scene> {
    const scene = await begin(name)
    const { stage, needs } = scene
    stage.bank.faults.add({ verb: 'inquire', delivery: { losesRequest: true, hangsUp: true } })
    for (const hours of [1, 1, 24 * 8]) {
      stage.time.advance(hours * 3_600_000)
      await recoverAttempts(needs)
    }
    return scene
  }

  const ends = [
    ['approved', { used: 1_030, postings: 2, payments: ['open'] }, 'payment.approved'],
    ['declined', { used: 0, postings: 0, payments: ['failed'] }, 'payment.declined'],
    ['reversed', { used: 0, postings: 0, payments: null }, 'payment.declined'],
  ] as const
  for (const [outcome, trace, event] of ends) {
    test(`an attempt that an operator found ${outcome} is written as if the bank had said so`, async () => {
      const scene = await manual(outcome)
      assert.partialDeepStrictEqual(await traceOf(scene), { state: 'manual', used: 1_030 })
      const decided = await decideAttempt(scene.needs, scene.attempt.attemptId, by(outcome))
      assert.ok(decided.ok)
      const events = ['payment.unknown', event]
      assert.deepEqual(await traceOf(scene), { state: outcome, ...trace, events })
      assert.deepEqual(await lastEventOf(scene), {
        from_state: 'manual',
        to_state: outcome,
        cause: 'operator',
        reason: 'told by the bank on the phone',
        decided_by: 'ann',
        is_late: false,
      })
      assert.equal((await readBacklog(scene.needs)).manual, 0)
    })
  }

  test('it is counted and listed until it is decided, and decided once', async () => {
    const { needs, attempt } = await manual('twice')
    assert.equal((await readBacklog(needs)).manual, 1)
    const [listed, ...others] = await listOpenAttempts(needs, { standing: 'manual', most: 9 })
    assert.deepEqual([listed?.attemptId, others.length], [attempt.attemptId, 0])
    assert.deepEqual(await listOpenAttempts(needs, { standing: 'unknown', most: 9 }), [])
    const both = await Promise.all(
      (['approved', 'declined'] as const).map((one) => decideAttempt(needs, attempt.attemptId, by(one))),
    )
    assert.deepEqual(both.map((one) => (one.ok ? 'ok' : one.refusal.kind)).toSorted(), ['not_manual', 'ok'])
    assert.deepEqual(await listOpenAttempts(needs, { standing: null, most: 9 }), [])
  })

  test('nothing else can be decided, and nothing without a reason', async () => {
    const scene = await begin('refused')
    const { needs, attempt, stage } = scene
    const refusalOf = async (id: bigint, decision: Decision) => {
      const decided = await decideAttempt(needs, attemptId(id), decision)
      return decided.ok ? 'ok' : decided.refusal.kind
    }
    assert.equal(await refusalOf(attempt.attemptId, by('approved')), 'not_manual')
    assert.equal(await refusalOf(999_999_999n, by('approved')), 'attempt_not_found')
    await needs.answers.add({ attempt, input: { on: 'answer', answer: voidDone(attempt) } })
    assert.equal(await refusalOf(attempt.attemptId, by('reversed')), 'not_manual')
    assert.equal(await refusalOf(attempt.attemptId, by('reversed', '  ')), 'reason_missing')
    assert.partialDeepStrictEqual(await traceOf({ stage, needs, attempt }), { state: 'approved' })
  })

  test('a late approval that the bank did not take back is closed as reversed, in no other way', async () => {
    const scene = await begin('late')
    const { stage, needs, attempt } = scene
    await needs.answers.add({ attempt, input: { on: 'answer', answer: { kind: 'not_sent' } } })
    stage.bank.faults.add({ verb: 'reverse', delivery: { losesRequest: true, hangsUp: true } })
    await fileLateAnswer(needs, attempt, voidDone(attempt))
    for (const hours of [1, 73]) {
      stage.time.advance(hours * 3_600_000)
      await recoverAttempts(needs)
    }
    const wrong = await decideAttempt(needs, attempt.attemptId, by('approved'))
    assert.equal(wrong.ok ? 'ok' : wrong.refusal.kind, 'decision_impossible')
    assert.equal((await readBacklog(needs)).manual, 1)
    assert.ok((await decideAttempt(needs, attempt.attemptId, by('reversed'))).ok)
    assert.equal((await readBacklog(needs)).manual, 0)
    const told = { from_state: 'not_sent', to_state: 'not_sent', decided_by: 'ann', is_late: true }
    assert.partialDeepStrictEqual(await lastEventOf(scene), told)
  })
})
