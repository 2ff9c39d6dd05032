import type { EventAsKept, StoredEvent } from '#capabilities/webhooks/event-message.ts'
import { type IdRange, listEvents, listEventsOfAccounts } from '#capabilities/webhooks/stored-event.store.ts'
import { paymentFacts } from '#engine/events/event.ts'
import { type Attempt, attemptId } from '#engine/payments/attempt.ts'
import { findAttemptsOf } from '#engine/payments/find-attempt.operation.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Queryable } from '#platform/postgres/database.ts'

export async function loadEventsOfAccounts(
  db: Queryable,
  accounts: readonly AccountId[],
  range: IdRange,
): Promise<readonly StoredEvent[]> {
  return withFacts(db, await listEventsOfAccounts(db, accounts, range))
}

export type Portion = {
  readonly events: readonly StoredEvent[]
  // Where to go on; null: nothing is left. By what was read, also where that is nothing that can be told.
  readonly goOnAfter: bigint | null
}

// In the order of their ids, at most so many.
export async function loadEvents(
  db: Queryable,
  account: AccountId,
  range: IdRange & { readonly most: number },
): Promise<Portion> {
  const { events, count, lastId } = await listEvents(db, account, range)
  return { events: await withFacts(db, events), goOnAfter: count < range.most ? null : lastId }
}

// An outcome is final, so its attempt tells what it would have told then. What somebody has deleted by hand
// tells nothing and keeps nobody else waiting; reconciliation finds it.
async function withFacts(db: Queryable, events: readonly EventAsKept[]): Promise<readonly StoredEvent[]> {
  const untold = events.filter(({ body }) => body === null)
  if (untold.length === 0) return events.flatMap((event) => withBody(event, event.body))
  const keys = untold.map(({ accountId: account, objectId }) => ({ account, attempt: attemptId(objectId) }))
  const attempts = await findAttemptsOf({ db }, keys)
  const byId = new Map<bigint, Attempt>(attempts.map((one) => [one.attemptId, one]))
  return events.flatMap((event) => withBody(event, event.body ?? factsOf(byId.get(event.objectId))))
}

function factsOf(attempt: Attempt | undefined): StoredEvent['body'] | null {
  return attempt ? paymentFacts(attempt) : null
}

function withBody(event: EventAsKept, body: StoredEvent['body'] | null): readonly StoredEvent[] {
  return body === null ? [] : [{ ...event, body }]
}
