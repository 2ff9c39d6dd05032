import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Follower } from '#engine/payments/follower.ts'
import { pay } from '#engine/payments/pay.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Crash, type PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { askToCharge, newAttempt } from '../../../test/crash/attempt-builder.ts'
import { engineOn, openStage, type Stage, useLane } from '../../../test/crash/lane.ts'

// A process that died when the bank had answered.
async function leaveBehind(stage: Stage, ref: string, key: string | null): Promise<void> {
  const { needs } = engineOn(stage, { dieAt: 'after_send' })
  const following = [{ follower: 'limit', subject: stage.limit, detail: null }]
  const wish = {
    account: stage.account,
    ref: `${ref}-${stage.account}`,
    at: stage.time.now(),
    key,
    following,
  }
  await assert.rejects(pay(needs, newAttempt(wish), askToCharge(needs)), Crash)
}

async function statesOf({ client, account }: Stage): Promise<readonly string[]> {
  const { rows } = await client.query<{ state: string }>(
    'select state from attempt where account_id = $1 order by attempt_id',
    [account],
  )
  return rows.map(({ state }) => state)
}

async function watermark({ client }: Stage): Promise<bigint> {
  const { rows } = await client.query<{ attempt_id: string }>('select attempt_id from recovery_watermark')
  return BigInt(rows[0]?.attempt_id ?? -1)
}

async function finish(stage: Stage, needs: PaymentNeeds): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    stage.time.advance(61_000)
    await recoverAttempts(needs)
  }
}

describe('the recoverer', () => {
  const lane = useLane()

  async function stageFor(name: string): Promise<Stage> {
    return openStage(lane(), name)
  }

  test('looks at the newest of all attempts where an index leads to them for sure', async () => {
    const { needs } = engineOn(await stageFor('sweep'))
    const asked: string[] = []
    const db: PaymentNeeds['db'] = {
      ...needs.db,
      run: (statement, values) => {
        asked.push(statement.name)
        return needs.db.run(statement, values)
      },
    }
    await recoverAttempts({ ...needs, db })
    assert.deepEqual(asked, ['list_due_unresolved'])
  })

  test('leaves an attempt alone as long as its lease lasts', async () => {
    const stage = await stageFor('lease')
    await leaveBehind(stage, 'a', 'k')
    const { needs } = engineOn(stage)
    stage.time.advance(44_000)
    assert.equal(await recoverAttempts(needs), 0)
    stage.time.advance(2_000)
    await recoverAttempts(needs)
    assert.deepEqual(await statesOf(stage), ['approved'])
  })

  test('two at once ask the bank once for each attempt, and reverse once', async () => {
    const stage = await stageFor('two')
    const refs = Array.from({ length: 12 }, (_, at) => `t${at}`)
    for (const ref of refs) await leaveBehind(stage, ref, null)
    stage.time.advance(46_000)
    const both = [engineOn(stage), engineOn(stage)]
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(both.map(({ needs }) => recoverAttempts(needs)))
      stage.time.advance(1_000)
    }
    assert.deepEqual(new Set(await statesOf(stage)), new Set(['reversed']))
    const rows = await stage.bank.log.read({ last: 1_000 })
    for (const verb of ['authorize', 'inquire', 'reverse']) {
      assert.equal(rows.filter((row) => row.verb === verb).length, refs.length, verb)
    }
  })

  test('whoever is reversing keeps the attempt until the bank has answered', async () => {
    const stage = await stageFor('reversing')
    await leaveBehind(stage, 'a', null)
    stage.time.advance(46_000)
    const first = engineOn(stage).needs
    const reverse: PaymentNeeds['acquirer']['reverse'] = async (ref, signal) => {
      await recoverAttempts(engineOn(stage).needs)
      return first.acquirer.reverse(ref, signal)
    }
    await recoverAttempts(first)
    await recoverAttempts({ ...first, acquirer: { ...first.acquirer, reverse } })
    assert.deepEqual(await statesOf(stage), ['reversed'])
    const rows = await stage.bank.log.read({ last: 100 })
    assert.equal(rows.filter(({ verb }) => verb === 'reverse').length, 1)
  })

  test('its watermark never passes an attempt that is still under way', async () => {
    const stage = await stageFor('watermark')
    const { needs } = engineOn(stage)
    const wish = (ref: string) =>
      newAttempt({ account: stage.account, ref: `${ref}-${stage.account}`, at: stage.time.now() })
    const first = await needs.attempts.add(wish('first'))
    assert(first.kind === 'sending')
    await pay(needs, wish('second'), askToCharge(needs))
    const earlier = await watermark(stage)
    // Young attempts may have neighbours that are not visible yet.
    await recoverAttempts(needs)
    assert.equal(await watermark(stage), earlier)
    const sleeper = { ...needs, patience: { ...needs.patience, leaseMs: 3_600_000 } }
    const long = await engineOn(stage).needs.attempts.add(wish('third'))
    assert(long.kind === 'sending')
    await stage.client.query(
      `update attempt set lease_until = lease_until + interval '1 hour' where account_id = $1`,
      [stage.account],
    )
    stage.time.advance(400_000)
    await recoverAttempts(sleeper)
    assert.equal(await watermark(stage), first.attempt.attemptId - 1n)
    stage.time.advance(3_700_000)
    await finish(stage, needs)
    stage.time.advance(400_000)
    await recoverAttempts(needs)
    assert.equal(await watermark(stage), long.attempt.attemptId)
    assert.ok(!(await statesOf(stage)).includes('sending'))
  })

  test('a connector that throws is silence, and keeps nobody else from being resolved', async () => {
    const stage = await stageFor('throws')
    await leaveBehind(stage, 'bad', 'k1')
    await leaveBehind(stage, 'good', 'k2')
    const { needs } = engineOn(stage)
    const inquire: PaymentNeeds['acquirer']['inquire'] = async (ref, signal) => {
      if (ref.startsWith('bad')) throw new Error('a fault of the connector')
      return needs.acquirer.inquire(ref, signal)
    }
    stage.time.advance(46_000)
    await recoverAttempts({ ...needs, acquirer: { ...needs.acquirer, inquire } })
    assert.deepEqual(await statesOf(stage), ['unknown', 'approved'])
    await finish(stage, needs)
    assert.deepEqual(await statesOf(stage), ['approved', 'approved'])
  })

  test('a node that is stopping finishes the one that it is at and leaves the others', async () => {
    const stage = await stageFor('stopping')
    for (const ref of ['a', 'b', 'c']) await leaveBehind(stage, ref, ref)
    const { needs } = engineOn(stage)
    const stopping = new AbortController()
    const inquire: PaymentNeeds['acquirer']['inquire'] = (ref, signal) => {
      stopping.abort()
      return needs.acquirer.inquire(ref, signal)
    }
    stage.time.advance(46_000)
    const { signal } = stopping
    await recoverAttempts({ ...needs, acquirer: { ...needs.acquirer, inquire } }, { stopping: signal })
    assert.deepEqual(await statesOf(stage), ['approved', 'unknown', 'unknown'])
    await finish(stage, needs)
    assert.deepEqual(await statesOf(stage), ['approved', 'approved', 'approved'])
  })

  test('while the acquirer answers nobody, it is asked about one attempt a turn', async () => {
    const stage = await stageFor('silent')
    for (const ref of ['a', 'b', 'c']) await leaveBehind(stage, ref, ref)
    const { needs } = engineOn(stage)
    const asked: string[] = []
    const inquire: PaymentNeeds['acquirer']['inquire'] = async (ref) => {
      asked.push(ref)
      return { kind: 'unknown', because: 'timeout' }
    }
    const line = { ...needs.line, isUp: false, check: async () => undefined }
    const cutOff = { ...needs, line, acquirer: { ...needs.acquirer, inquire } }
    stage.time.advance(46_000)
    for (let turn = 0; turn < 3; turn += 1) await recoverAttempts(cutOff)
    assert.deepEqual(new Set(asked.map((ref) => ref[0])), new Set(['a', 'b', 'c']))
    assert.equal(asked.length, 3)
    await finish(stage, needs)
    assert.deepEqual(await statesOf(stage), ['approved', 'approved', 'approved'])
  })

  test('an attempt that cannot be written down keeps nobody else from being resolved', async () => {
    const stage = await stageFor('poison')
    await leaveBehind(stage, 'bad', 'k1')
    await leaveBehind(stage, 'good', 'k2')
    const { needs } = engineOn(stage)
    const poisoned: Follower = {
      name: 'limit',
      begin: async () => new Map(),
      follow: async (_, moved) => {
        if (moved.some(({ move }) => move.attempt.ref.startsWith('bad'))) throw new Error('poison')
      },
    }
    stage.time.advance(46_000)
    await recoverAttempts(paymentEngine({ ...needs, followers: [poisoned] }))
    assert.deepEqual(await statesOf(stage), ['sending', 'approved'])
    await finish(stage, needs)
    assert.deepEqual(await statesOf(stage), ['approved', 'approved'])
  })

  for (const garbles of ['too_much', 'other_currency', 'other_ref'] as const) {
    test(`an inquiry that brings ${garbles} is not believed`, async () => {
      const stage = await stageFor(garbles)
      await leaveBehind(stage, 'a', 'k')
      stage.bank.faults.add({ verb: 'inquire', times: 1, delivery: { garbles } })
      const { needs } = engineOn(stage)
      stage.time.advance(46_000)
      await recoverAttempts(needs)
      assert.deepEqual(await statesOf(stage), ['unknown'])
      await finish(stage, needs)
      assert.deepEqual(await statesOf(stage), ['approved'])
    })
  }

  test('what an inquiry finds in the end counts as found, although it was missing at first', async () => {
    const stage = await stageFor('found')
    await leaveBehind(stage, 'a', null)
    const { needs } = engineOn(stage)
    let asked = 0
    const inquire: PaymentNeeds['acquirer']['inquire'] = async (ref, signal) => {
      asked += 1
      return asked === 1 ? { kind: 'not_found' } : needs.acquirer.inquire(ref, signal)
    }
    const blind = { ...needs, acquirer: { ...needs.acquirer, inquire } }
    stage.time.advance(46_000)
    await recoverAttempts(blind)
    await finish(stage, blind)
    assert.deepEqual(await statesOf(stage), ['reversed'])
  })
})
