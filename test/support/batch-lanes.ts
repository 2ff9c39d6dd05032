import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchTurns, Turn } from '#platform/postgres/batch-turns.ts'
import { Batcher } from '#platform/postgres/batcher.ts'

// As many as there is time for at once: with one more, turns are taken. Their batch does not leave.
export function crowdIn(turns: BatchTurns): BatchTurns {
  for (let caller = 0; caller < 64; caller += 1) turns.afterOthers.enter()
  return turns
}

// Batchers that write down what leaves. A batch is back and time passes when the test says so, and nobody's
// patience ends because the machine is slow. Whatever differs by an apostrophe alone never shares a batch.
export function lanesOn({ mock }: TestContext, turns: BatchTurns) {
  mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 0
  mock.method(performance, 'now', () => nowMs)
  const left: string[] = []
  const out = new Map<string, () => void>()
  const lane = (name: string, turn: Turn) =>
    new Batcher<string, string>({
      sizeMax: 100,
      turn,
      keysOf: (item) => [item.replaceAll("'", '')],
      run: async (items) => {
        const batch = `${name} ${items.join('+')}`
        left.push(batch)
        await new Promise<void>((resolve) => out.set(batch, resolve))
        return items
      },
    })
  const comesBack = async (batch: string) => {
    const back = out.get(batch)
    assert(back, `${batch} is out`)
    back()
    // To tell its callers, to wake those who wait, and for what leaves then.
    for (let turn = 0; turn < 3; turn += 1) await nextTurn()
  }
  return {
    left,
    comesBack,
    passMs: (ms: number) => void (nowMs += ms),
    reads: lane('read', turns.afterOthers),
    attempts: lane('T1', turns.withOthers),
    answers: lane('T2', turns.beforeOthers),
  }
}

type Lanes = ReturnType<typeof lanesOn>

// So many of one kind come together, and all are answered. Tells how many of them were in each batch.
export async function sizesOf(
  { left, comesBack, ...lanes }: Lanes,
  kind: 'reads' | 'attempts' | 'answers',
  callers: number,
): Promise<readonly number[]> {
  const sizes: number[] = []
  const done = Array.from({ length: callers }, (_, at) => lanes[kind].add(`${at}`))
  await nextTurn()
  while (left.length > 0) {
    const batch = left.splice(0).join()
    sizes.push(batch.split('+').length)
    await comesBack(batch)
  }
  await Promise.all(done)
  return sizes
}
