import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import { messageText, resultMembers } from '#capabilities/forms/form-result.operation.ts'
import { lockUnposted, markPosted } from '#capabilities/forms/form.store.ts'
import { type Form, type FormId, formOptions } from '#capabilities/forms/form.ts'
import type { QueuedPost } from '#capabilities/webhooks/queue-posts.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { findOrderOfAttempt } from '#engine/orders/find-order.operation.ts'
import { findAttemptByReference } from '#engine/payments/find-attempt.operation.ts'
import { assert } from '#kernel/assert.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'db' | 'keyRing' | 'log'> & Pick<FormNeeds, 'queuePosts' | 'formMessages'>

const formsAtOnce = 100

// Queues what merchants' systems are told about paid forms: this one, or all that nobody has got round to. A
// form is marked in the commit of its payment and unmarked in the commit that queues its post, so each is
// queued once, whoever dies in between.
export async function postForms(needs: Needs, form: FormId | null): Promise<void> {
  try {
    await needs.db.inTransaction(async (tx) => {
      const paid = await lockUnposted(tx, { form, most: formsAtOnce })
      const posts = await Promise.all(paid.map((one) => postOf({ ...needs, db: tx }, one)))
      await needs.queuePosts(
        tx,
        posts.filter((post) => post !== null),
      )
      if (paid.length > 0)
        await markPosted(
          tx,
          paid.map(({ formId }) => formId),
        )
    })
  } catch (error) {
    // The payment stands and its payer is told so; the task comes back to this.
    needs.log.warn({ err: error }, 'What a form tells its merchant is queued later')
  }
}

type Reading = Pick<Needs, 'keyRing' | 'formMessages'> & { readonly db: Queryable }

async function postOf(needs: Reading, form: Form): Promise<QueuedPost | null> {
  const { postsSilently, postsJson } = formOptions(form)
  const { accountId, attemptRef, formId, postUrl: url, paidAt } = form
  if (!postsSilently && !postsJson) return null
  assert(attemptRef && paidAt, 'a paid form knows its attempt and its time')
  const attempt = await findAttemptByReference(needs, { account: accountId, ref: attemptRef })
  assert(attempt, 'the attempt of a paid form is found again')
  const paid = { form, attempt, order: await findOrderOfAttempt(needs, attempt) }
  const content = postsJson
    ? ({ kind: 'json', text: messageText(needs, paid) } as const)
    : ({ kind: 'query', members: await resultMembers(needs, paid) } as const)
  return { accountId, key: `form_${formId}`, url, content, at: paidAt }
}
