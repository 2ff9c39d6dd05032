import type { DueMoment, DueSpan, DueWork } from '#engine/account-clock/due-work.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { earliestOf } from '#kernel/calendar.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'

type LogNeeds = Pick<PaymentNeeds, 'log'>

// All work of one account that is due at that moment, in the order of the list. What fails is logged, keeps
// nothing else from running and is due again in the next round.
export async function runAllDue<Needs extends LogNeeds>(
  needs: Needs,
  works: readonly DueWork<Needs>[],
  due: DueMoment,
): Promise<void> {
  for (const work of works) {
    if (due.signal.aborted) return
    await runApart(needs, work, due)
  }
}

async function runApart<Needs extends LogNeeds>(
  needs: Needs,
  work: DueWork<Needs>,
  due: DueMoment,
): Promise<void> {
  try {
    await work.runDue(needs, due)
  } catch (error) {
    if (isUnreachable(error)) throw error
    const fields = { err: error, work: work.name, account: String(due.accountId) }
    needs.log.error(fields, 'Work that is due has failed and will be tried again')
    const text = `${work.name} has failed and will be tried again; the log tells why`
    await due.tell([{ at: due.at, what: 'work.failed', subject: null, text }])
  }
}

// What one kind of work says about what is due. One that cannot tell keeps the others from nothing: it
// counts as having nothing due, and is asked again in the next round.
export async function askApart<Needs extends LogNeeds, Answer>(
  needs: Needs,
  work: DueWork<Needs>,
  { ask, none }: { readonly ask: () => Promise<Answer>; readonly none: Answer },
): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (isUnreachable(error)) throw error
    needs.log.error({ err: error, work: work.name }, 'Nobody knows what is due of one kind of work')
    return none
  }
}

// The first moment at which any of the work falls due.
export async function firstDue<Needs extends LogNeeds>(
  needs: Needs,
  works: readonly DueWork<Needs>[],
  span: DueSpan,
): Promise<Temporal.Instant | null> {
  const dues = await Promise.all(
    works.map((work) => askApart(needs, work, { ask: () => work.nextDue(needs, span), none: null })),
  )
  return earliestOf(dues)
}
