import type { DueMoment } from '#engine/account-clock/due-work.ts'

// Does what is due portion after portion, until one is not full: so nobody holds all of it, and whatever
// fails, the portions before it are done and told. Whoever does a portion tells of it, and answers how many
// it found.
export async function runPortions(
  { signal }: Pick<DueMoment, 'signal'>,
  sizeMax: number,
  runPortion: () => Promise<number>,
): Promise<void> {
  for (let found = sizeMax; found === sizeMax && !signal.aborted;) found = await runPortion()
}
