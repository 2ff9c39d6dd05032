import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileLateAnswer } from '#engine/payments/late-answer.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { voidDone } from '#engine/payments/resolve-attempt.operation.ts'
import { newAttempt } from '../../../test/crash/attempt-builder.ts'
import { engineOn, openStage, type Stage, useLane } from '../../../test/crash/lane.ts'

const silence = { losesRequest: true, hangsUp: true }

// Hour by hour, as a gateway that runs.
async function pass(stage: Stage, hours: number): Promise<void> {
  const { needs } = engineOn(stage)
  for (let hour = 0; hour < hours; hour += 1) {
    stage.time.advance(3_600_000)
    await recoverAttempts(needs)
  }
}

type Standing = { readonly state: string; readonly open: boolean; readonly manual: boolean | null }

async function standingOf({ client, account }: Stage): Promise<Standing | undefined> {
  const { rows } = await client.query<Standing>(
    `select state, u.attempt_id is not null as open, m.is_late as manual
     from attempt left join unresolved_attempt u using (attempt_id)
       left join manual_attempt m using (attempt_id)
     where account_id = $1`,
    [account],
  )
  return rows[0]
}

describe('what the bank does not answer for days', () => {
  const lane = useLane()

  async function begin(name: string) {
    const stage = await openStage(lane(), name)
    const { needs } = engineOn(stage)
    const verdict = await needs.attempts.add(
      newAttempt({ account: stage.account, ref: `${name}-${stage.account}`, at: stage.time.now() }),
    )
    assert(verdict.kind === 'sending')
    return { stage, needs, attempt: verdict.attempt }
  }

  test('a reversal has 72 hours from the moment it fell due, however old its attempt is', async () => {
    const { stage } = await begin('due')
    stage.bank.faults.add({ verb: 'inquire', delivery: silence })
    await pass(stage, 24 * 4)
    stage.bank.faults.clear()
    stage.bank.faults.add({ verb: 'reverse', delivery: silence })
    // Not found twice: from here on it is to be reversed.
    await pass(stage, 3)
    assert.deepEqual(await standingOf(stage), { state: 'reversing', open: true, manual: null })
    await pass(stage, 68)
    assert.deepEqual(await standingOf(stage), { state: 'reversing', open: true, manual: null })
    await pass(stage, 8)
    assert.deepEqual(await standingOf(stage), { state: 'manual', open: false, manual: false })
  })

  test('the reversal of a late approval comes to an operator after 72 hours; the answer stays', async () => {
    const { stage, needs, attempt } = await begin('late')
    const answer = { kind: 'declined', code: '05', checks: { avs: '', cvv: '' } } as const
    await needs.answers.add({ attempt, input: { on: 'answer', answer } })
    stage.bank.faults.add({ verb: 'reverse', delivery: silence })
    await fileLateAnswer(needs, attempt, voidDone(attempt))
    await pass(stage, 71)
    assert.deepEqual(await standingOf(stage), { state: 'declined', open: true, manual: null })
    await pass(stage, 4)
    assert.deepEqual(await standingOf(stage), { state: 'declined', open: false, manual: true })
  })
})
