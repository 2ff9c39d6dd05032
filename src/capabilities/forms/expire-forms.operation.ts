import {
  type ExpiredForm,
  expireForms,
  findNextToExpire,
  listAccountsToExpire,
} from '#capabilities/forms/form-expiry.store.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { runPortions } from '#engine/account-clock/run-portions.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { NewEvent } from '#engine/events/event.ts'
import type { AccountId } from '#kernel/ids.ts'
import { printMoney } from '#kernel/money.ts'

type Needs = Pick<EngineContext, 'db'>

export function accountsWithFormsToExpire(
  { db }: Needs,
  at: Temporal.Instant,
): Promise<readonly AccountId[]> {
  return listAccountsToExpire(db, at)
}

export function nextFormToExpire({ db }: Needs, span: DueSpan): Promise<Temporal.Instant | null> {
  return findNextToExpire(db, span)
}

// A form is over from the second of its expiry on, whoever looks; this tells its merchant so, once.
export async function expireDueForms({ db }: Needs, due: DueMoment, formsAtOnce = 500): Promise<void> {
  const { accountId: account, at } = due
  await runPortions(due, formsAtOnce, async () => {
    const expired = await db.inTransaction(async (tx) => {
      const forms = await expireForms(tx, { account, at, most: formsAtOnce })
      const events = forms.map((form) => eventOf(account, form))
      await appendEvents(tx, events, at)
      return forms
    })
    await due.tell(expired.map(entryOf))
    return expired.length
  })
}

function eventOf(accountId: AccountId, form: ExpiredForm): NewEvent {
  const { merchantNumber, amount, currency, clientRef, guid, tries } = form
  const body = {
    merchant: String(merchantNumber),
    // Empty where the payer would have typed it, or where nothing was to be paid.
    amount: amount ? printMoney(amount) : '',
    currency,
    clientRef,
    guid,
    tries: String(tries),
  }
  return { accountId, type: 'form.expired', objectId: form.formId, body }
}

function entryOf({ formId, expiresAt, clientRef }: ExpiredForm): DiaryEntry {
  const name = clientRef === '' ? `Form ${formId}` : `Form ${formId} (${clientRef})`
  return { at: expiresAt, what: 'form.expired', subject: formId, text: `${name} was not paid in time` }
}
