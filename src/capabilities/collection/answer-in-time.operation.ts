import type { Processed } from '#capabilities/collection/processed.ts'
import type { Run, RunNeeds } from '#capabilities/collection/run-instalments.operation.ts'

// A caller waits about half a minute for anything.
export const callPatienceMs = 28_000

// What a run has come to, or as much of it as the caller has patience for. It goes on in that case. What this
// process should not live to reach stays as it is: what is due is left to the next run, and what was named
// without being due is charged on its day.
export async function answerInTime(
  { log }: Pick<RunNeeds, 'log'>,
  run: Run,
  patienceMs = callPatienceMs,
): Promise<Processed> {
  const { promise: patience, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), patienceMs)
  try {
    const finished = await Promise.race([run.done, patience])
    if (finished) return finished
  } finally {
    clearTimeout(timer)
  }
  run.done.then(
    ({ approved, declined }) =>
      log.info({ approved: approved.length, declined: declined.length }, 'A long run of instalments is done'),
    (error: unknown) => log.error({ err: error }, 'A long run of instalments broke off'),
  )
  return run.soFar()
}
