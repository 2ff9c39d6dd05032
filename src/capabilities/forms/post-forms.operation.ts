import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import { findKeptCard } from '#capabilities/forms/find-kept-card.operation.ts'
import { listUnposted, lockUnposted, markPosted } from '#capabilities/forms/form-posting.store.ts'
import { messageText, resultMembers } from '#capabilities/forms/form-result.operation.ts'
import { type Form, type FormId, formOptions } from '#capabilities/forms/form.ts'
import { type ReceiptWish, tryToMailReceipt } from '#capabilities/messages/queue-receipt.operation.ts'
import type { QueuedPost } from '#capabilities/webhooks/queue-posts.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { findOrderOfAttempt } from '#engine/orders/find-order.operation.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { findAttemptByReference } from '#engine/payments/find-attempt.operation.ts'
import { assert } from '#kernel/assert.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'db' | 'keyRing' | 'log' | 'accountClock' | 'merchantReads'> &
  Pick<FormNeeds, 'queuePosts' | 'formMessages'>

const formsAtOnce = 100

// Queues what merchants' systems are told about paid forms, and the receipts that payers want by mail: of
// this form, or of all that nobody has got round to. A form is marked in the commit of its payment and
// unmarked in the commit that queues its post and its receipt, so each is queued once, whoever dies in
// between.
export async function postForms(needs: Needs, form: FormId | null): Promise<void> {
  if (form !== null) return postForm(needs, form)
  let [after, found] = [0n, formsAtOnce]
  while (found === formsAtOnce) {
    const forms = await listUnposted(needs.db, { after, most: formsAtOnce })
    for (const one of forms) await postForm(needs, one)
    after = forms.at(-1) ?? after
    found = forms.length
  }
}

// Each on its own: one that cannot be told keeps no other from being told.
async function postForm(needs: Needs, formId: FormId): Promise<void> {
  try {
    await needs.db.inTransaction(async (tx) => {
      const paid = await lockUnposted(tx, formId)
      if (!paid) return
      const post = await postOf({ ...needs, db: tx }, paid)
      if (post) await needs.queuePosts(tx, [post])
      // A receipt that cannot be mailed holds up nothing: the payer has seen it on the page.
      const by = { form: String(formId) }
      await tryToMailReceipt(needs, tx, { by, wishFor: () => receiptWishOf(tx, paid) })
      await markPosted(tx, formId)
    })
  } catch (error) {
    // The payment stands and its payer is told so; the task comes back to this.
    const text = 'What a form tells its merchant is queued later'
    needs.log.warn({ form: String(formId), err: error }, text)
  }
}

type Reading = Pick<Needs, 'keyRing' | 'formMessages'> & { readonly db: Queryable }

async function postOf(needs: Reading, form: Form): Promise<QueuedPost | null> {
  const { accountId, formId, postUrl: url, paidAt } = form
  if (url === '') return null
  assert(paidAt, 'a paid form knows its time')
  const attempt = await attemptOf(needs, form)
  const paid = { form, attempt, order: await findOrderOfAttempt(needs, attempt) }
  const content = formOptions(form).postsJson
    ? ({ kind: 'json', text: messageText(needs, paid) } as const)
    : ({ kind: 'query', members: await resultMembers(needs, paid) } as const)
  return { accountId, key: `form_${formId}`, url, content, at: paidAt }
}

async function receiptWishOf(db: Queryable, form: Form): Promise<ReceiptWish | null> {
  const { receiptEmail: email, language: locale } = form.said
  if (email === '' || !formOptions(form).pays) return null
  const attempt = await attemptOf({ db }, form)
  return { attempt, email, locale, kept: await findKeptCard({ db }, form), because: 'payer' }
}

async function attemptOf(
  needs: { readonly db: Queryable },
  { accountId, attemptRef }: Form,
): Promise<Attempt> {
  assert(attemptRef, 'a paid form knows its attempt')
  const attempt = await findAttemptByReference(needs, { account: accountId, ref: attemptRef })
  assert(attempt, 'the attempt of a paid form is found again')
  return attempt
}
