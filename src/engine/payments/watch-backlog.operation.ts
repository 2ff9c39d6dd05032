import { type Alarm, alarmsFor, type Backlog } from '#engine/payments/backlog.ts'
import { countBacklog, countSending, listBacklog, type OpenAttempt } from '#engine/payments/backlog.store.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'

type Needs = Pick<PaymentNeeds, 'db'>

export const backlogStandings = ['unknown', 'reversal_due', 'reversing', 'late', 'manual'] as const

export function readBacklog({ db }: Needs): Promise<Backlog> {
  return countBacklog(db)
}

export function listOpenAttempts(
  { db }: Needs,
  search: { readonly standing: (typeof backlogStandings)[number] | null; readonly most: number },
): Promise<readonly OpenAttempt[]> {
  return listBacklog(db, { standing: search.standing ?? '', most: search.most })
}

// Sent for longer than the acquirer is waited for. Whoever sent them is gone; once their lease has ended they
// are asked about, and in the backlog until that is answered.
export function countUnanswered({
  db,
  clock,
  patience: { leaseMs, answerMs },
}: Pick<PaymentNeeds, 'db' | 'clock' | 'patience'>): Promise<number> {
  return countSending(db, clock.now().add({ milliseconds: leaseMs - answerMs }))
}

export type Ringing = readonly Alarm[]

// Says once that an alarm has begun and once that it is over. Answers what rings now, for the next time.
export async function soundAlarms(
  needs: Pick<PaymentNeeds, 'db' | 'clock' | 'log'>,
  before: Ringing,
): Promise<Ringing> {
  const { oldestUnknownAt, ...counts } = await countBacklog(needs.db)
  const ringing = alarmsFor({ oldestUnknownAt, ...counts }, needs.clock.now())
  const fields = { ...counts, oldestUnknownAt: oldestUnknownAt?.toString() ?? null }
  const isNew = ({ name }: Alarm) => before.every((one) => one.name !== name)
  for (const alarm of ringing.filter(isNew)) needs.log.error({ ...fields, alarm: alarm.name }, alarm.text)
  if (before.length > 0 && ringing.length === 0) needs.log.info(fields, 'No attempt needs anybody any more')
  return ringing
}
