import { timingSafeEqual } from 'node:crypto'
import { answerDigest } from '#capabilities/links/link-code.operation.ts'
import { giveBackAnswer, takeAnswer } from '#capabilities/links/link-life.store.ts'
import type { LinkNeeds, LinkView } from '#capabilities/links/show-link.operation.ts'

// Whether these are the answers. A try is taken before anything is compared and given back when all were
// right, so that however many come at once no more than five are ever compared.
export async function answerQuestions(
  needs: Pick<LinkNeeds, 'db' | 'keyRing'>,
  { link, standing }: LinkView,
  answers: readonly string[],
): Promise<boolean> {
  if (standing !== 'open' || !(await takeAnswer(needs.db, link.linkId))) return false
  const verdicts = link.questions.map(({ answerDigest: right }, at) => {
    const given = answerDigest(needs, link, answers[at] ?? '')
    return timingSafeEqual(Buffer.from(given, 'hex'), Buffer.from(right, 'hex'))
  })
  const isRight = verdicts.every(Boolean)
  if (isRight) await giveBackAnswer(needs.db, link.linkId)
  return isRight
}
