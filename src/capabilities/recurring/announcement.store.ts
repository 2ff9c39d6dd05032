import type { ConsentId } from '#capabilities/consents/consent.ts'
import type { Announcement } from '#capabilities/recurring/announcement.ts'
import type { InstalmentId, PlanId } from '#capabilities/recurring/instalment.ts'
import { isAccountOpen } from '#capabilities/recurring/instalment-claim.store.ts'
import type { Currency } from '#kernel/currency.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { date, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const takeAnnouncementsStatement = statement(
  'take_announcements',
  [int8, int4, date, int4],
  {
    instalment_id: int8,
    plan_id: int8,
    consent_id: int8,
    payment_number: int4,
    due_on: date,
    announce_on: date,
    amount_minor: int8,
    currency: text,
    changed_at: timestamptz,
  },
  `with due as (
     select instalment_id, announce_on from instalment
     where account_id = $1 and merchant_number = $2 and announce_on <= $3 and ${isAccountOpen}
     order by announce_on, instalment_id limit $4::int4 for update skip locked
   )
   update instalment i set announce_on = null from due
   where i.instalment_id = due.instalment_id and i.state = 'scheduled'
   returning i.instalment_id, i.plan_id, i.consent_id, i.payment_number, i.due_on, due.announce_on,
     i.amount_minor, i.currency, i.changed_at`,
)

type Announcing = {
  readonly accountId: AccountId
  readonly merchant: MerchantNumber
  readonly day: Temporal.PlainDate
  readonly most: number
}

// Each is announced once: whoever takes it tells it in the same transaction.
export async function takeAnnouncements(
  tx: Tx,
  { accountId: account, merchant, day, most }: Announcing,
): Promise<readonly Announcement[]> {
  const rows = await tx.run(takeAnnouncementsStatement, [account, merchant, day, most])
  return rows.map((row) => ({
    instalmentId: row.instalment_id as InstalmentId,
    planId: row.plan_id as PlanId,
    consentId: row.consent_id as ConsentId,
    paymentNumber: row.payment_number,
    dueOn: row.due_on,
    announceOn: row.announce_on,
    amount: { minor: row.amount_minor, currency: row.currency as Currency },
    scheduledAt: row.changed_at,
  }))
}
