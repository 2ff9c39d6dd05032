import type { RunId } from '#capabilities/collection/keyed-run.ts'
import { lockRunsAndInsert } from '#capabilities/collection/keyed-run.store.ts'
import type { Follower } from '#engine/payments/follower.ts'
import { refuse } from '#kernel/result.ts'

// What is charged under a key is found again by it, so it is written down in the same commit; a run that was
// taken for given up, and told, charges nothing more. Its subject is the instalment, because what shares a
// subject shares no transaction.
export const keyedRunFollower: Follower<RunId> = {
  name: 'keyed_run',
  begin: async (tx, starts) => {
    const joined = await lockRunsAndInsert(
      tx,
      starts.map(({ attempt, subject, detail: run }) => ({ run, instalment: subject, ref: attempt.ref })),
    )
    const late = starts.filter(({ attempt }) => !joined.has(attempt.ref))
    return new Map(late.map(({ attempt }) => [attempt.ref, refuse('run_over').refusal]))
  },
  // Its attempts tell what became of them.
  follow: async () => undefined,
}
