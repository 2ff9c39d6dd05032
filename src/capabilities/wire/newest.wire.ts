import type { Newest } from '#kernel/newest.ts'

export function countSentence({ found: { length }, isCut }: Newest<unknown>, noun: string): string {
  if (isCut) return `Found more than ${length} ${noun}s; these are the newest`
  return length === 1 ? `Found 1 ${noun}` : `Found ${length} ${noun}s`
}
