import type { Instalment } from '#capabilities/recurring/instalment.ts'
import type { AcquirerAnswer } from '#engine/acquirers/acquirer-answer.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { EngineContext } from '#engine/context.ts'
import { findUnsentReferences } from '#engine/payments/find-attempt.operation.ts'
import { derivedReference } from '#engine/payments/new-reference.operation.ts'
import type { Attempt } from '#engine/payments/attempt.ts'

type Numbered = Pick<Instalment, 'accountId' | 'instalmentId' | 'paymentNumber' | 'attempts' | 'tries'>

// Follows from what is charged and how often that was tried, so that nobody can charge the same try twice,
// not even a copy of this installation.
export function referenceOfTry(
  { keyRing }: Pick<EngineContext, 'keyRing'>,
  { instalmentId, paymentNumber }: Numbered,
  number: number,
): AcquirerRef {
  return derivedReference([keyRing.id, instalmentId, paymentNumber, number])
}

// Of earlier attempts at this instalment that never left. Their numbers are used up, and the bank has not
// heard of them: a database that is set back to before them would charge under one of them once more.
export async function unsentReferencesOf(
  needs: Pick<EngineContext, 'db' | 'keyRing'>,
  instalment: Numbered,
): Promise<readonly AcquirerRef[]> {
  const { accountId: account, attempts, tries } = instalment
  if (attempts === tries) return []
  const refs = Array.from({ length: attempts }, (_, at) => referenceOfTry(needs, instalment, at + 1))
  return findUnsentReferences(needs, { account, refs })
}

const duplicateCode = '94'
const duplicate: AcquirerAnswer = {
  kind: 'declined',
  code: duplicateCode,
  checks: { avs: '', cvv: '' },
  isOurOwn: true,
}

// A reversal closes a reference against whatever comes later under it, and takes back what must not stand.
// null once the bank has closed them all; otherwise what is answered without asking for the charge.
export async function closeReferences(
  { acquirer, log }: Pick<EngineContext, 'acquirer' | 'log'>,
  refs: readonly AcquirerRef[],
  { attemptId, signal }: Pick<Attempt, 'attemptId'> & { readonly signal: AbortSignal },
): Promise<AcquirerAnswer | null> {
  for (const ref of refs) {
    const answer = await acquirer.reverse(ref, signal)
    if (answer.kind === 'unknown') return { kind: 'not_sent' }
    if (answer.kind === 'refused') {
      const text = 'The bank holds on to a charge under a reference that we never sent: it is not made again'
      log.error({ attemptId: String(attemptId), ref, code: answer.code }, text)
      return duplicate
    }
  }
  return null
}

// The bank has seen the reference before: used by a copy of this installation, or forgotten by a database
// that was set back. What it says of the repetition is no outcome; what stands under the reference is.
export function unlessSeenBefore(answer: AcquirerAnswer): AcquirerAnswer {
  const isSeen = answer.kind === 'declined' && answer.code === duplicateCode
  return isSeen ? { kind: 'unknown', because: 'garbled' } : answer
}
