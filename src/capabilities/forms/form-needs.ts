import type { Form } from '#capabilities/forms/form.ts'
import type { PlanPost } from '#capabilities/recurring/plan-posts.operation.ts'
import type { QueuedPost } from '#capabilities/webhooks/queue-posts.operation.ts'
import type { Order } from '#engine/orders/order.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import type { Tx } from '#platform/postgres/database.ts'

// Part of the transaction that marks the form, so that neither exists without the other.
export type QueuePosts = (tx: Tx, posts: readonly QueuedPost[]) => Promise<void>

export type PaidForm = {
  readonly form: Form
  readonly attempt: Attempt
  // Of an international record.
  readonly order: Order | null
  readonly isSandbox: boolean
}

export type ToldPlan = {
  readonly post: PlanPost
  // Of an international record.
  readonly order: Order | null
  readonly isSandbox: boolean
}

// How a paid form is told in the names of the interface.
export type FormMessages = {
  readonly json: (paid: PaidForm) => string
  // Names and values as one line, which is what is encrypted.
  readonly line: (paid: PaidForm) => string
  // What becomes of a payment plan that was made by a form.
  readonly plan: (told: ToldPlan) => string
  // What travels in an address unencrypted.
  readonly query: (paid: PaidForm) => Readonly<Record<string, string>>
  // What the page that embeds the form gets unencrypted.
  readonly parent: (paid: PaidForm) => string
}

// What this slice needs beyond the engine's context; apps/build-context.ts makes it.
export type FormNeeds = {
  // Known only once the port is, if the operator left it open.
  readonly publicAddress: { readonly url: string }
  readonly formMessages: FormMessages
  readonly queuePosts: QueuePosts
}
