import { attemptId } from '#engine/payments/attempt.ts'
import { decideAttempt } from '#engine/payments/decide-attempt.operation.ts'
import type { Decision } from '#engine/payments/decision.ts'
import { pay } from '#engine/payments/pay.operation.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import type { Delivery } from '../../simulator/delivery.ts'
import { askToCharge, cents, newAttempt } from './attempt-builder.ts'
import { engineOn, type Lane, openStage, recoverUntilQuiet, type Stage } from './lane.ts'

// Ends that no single crash leads to: the bank acts by itself, or says nothing for days.

type End = { readonly state: string; readonly open: number }

const silence: Partial<Delivery> = { losesRequest: true, hangsUp: true }

// The bank takes an approval back before we ask about it.
export async function bankTakesBack(lane: Lane): Promise<End> {
  const stage = await openStage(lane, 'takes back')
  const ref = await dieAfterSending(stage, 'key-1')
  const line = { say: () => undefined, hangUp: () => undefined }
  await stage.bank.receive({ verb: 'reverse', ref }, line)
  return endOf(stage, 1)
}

export async function bankIsSilentForAWeek(lane: Lane): Promise<End> {
  const stage = await openStage(lane, 'silent')
  await dieAfterSending(stage, 'key-1')
  stage.bank.faults.add({ verb: 'inquire', delivery: silence })
  return endOf(stage, 24 * 8)
}

export function operatorDecides(outcome: Decision['outcome']): (lane: Lane) => Promise<End> {
  return async (lane) => {
    const stage = await openStage(lane, outcome)
    await dieAfterSending(stage, 'key-1')
    stage.bank.faults.add({ verb: 'inquire', delivery: silence })
    await endOf(stage, 24 * 8)
    const { needs } = engineOn(stage)
    const { rows } = await stage.client.query<{ id: string }>(
      'select attempt_id::text as id from attempt where account_id = $1',
      [String(stage.account)],
    )
    const id = attemptId(BigInt(rows[0]?.id ?? 0))
    await decideAttempt(needs, id, { outcome, reason: 'the bank said so', operator: 'ann' })
    return endOf(stage, 1)
  }
}

// Nobody can find an approval without a key again, so it is to be reversed, and the bank does not confirm.
export async function reversalIsNotConfirmed(lane: Lane): Promise<End> {
  const stage = await openStage(lane, 'not confirmed')
  await dieAfterSending(stage, null)
  stage.bank.faults.add({ verb: 'reverse', delivery: silence })
  return endOf(stage, 73)
}

// The line was down for four days: the reversal is older than 72 hours before it is sent for the first time.
export async function reversalIsDueLate(lane: Lane): Promise<End> {
  const stage = await openStage(lane, 'due late')
  await dieAfterSending(stage, null)
  stage.bank.faults.add({ verb: 'inquire', delivery: silence })
  return endOf(stage, 24 * 4, () => stage.bank.faults.clear())
}

// The bank has settled an approval that nobody can find again, so it does not give it back.
export async function reversalIsRefused(lane: Lane): Promise<End> {
  const stage = await openStage(lane, 'refused')
  const ref = await dieAfterSending(stage, null)
  const line = { say: () => undefined, hangUp: () => undefined }
  const items = [{ ref, amount: cents(1_030n), isCredit: false }]
  await stage.bank.receive({ verb: 'settle', ref: `batch-${ref}`, number: 1, terminalId: 'T1', items }, line)
  return endOf(stage, 1)
}

async function dieAfterSending(stage: Stage, key: string | null): Promise<string> {
  const { needs } = engineOn(stage, { dieAt: 'after_send' })
  const { account, limit, time } = stage
  const following = [{ follower: 'limit', subject: limit, detail: null }]
  const attempt = newAttempt({ account, ref: `rare-${account}`, at: time.now(), key, following })
  try {
    await pay(needs, attempt, askToCharge(needs))
  } catch (error) {
    if (!(error instanceof Crash)) throw error
  }
  return attempt.ref
}

async function endOf(stage: Stage, hours: number, then = (): void => undefined): Promise<End> {
  await recoverUntilQuiet(stage, [engineOn(stage)])
  stage.time.advance(hours * 3_600_000)
  then()
  await recoverUntilQuiet(stage, [engineOn(stage)])
  const { rows } = await stage.client.query<End>(
    `select state, (select count(*)::int from unresolved_attempt) as open
     from attempt where account_id = $1`,
    [String(stage.account)],
  )
  return rows[0] ?? { state: 'gone', open: 0 }
}
