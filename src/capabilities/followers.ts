import { bankItemFollower } from '#capabilities/bank-debits/bank-item.follower.ts'
import { bankParentFollower } from '#capabilities/bank-debits/bank-parent.follower.ts'
import { keyedRunFollower } from '#capabilities/collection/keyed-run.follower.ts'
import { consentFollower } from '#capabilities/consents/consent.follower.ts'
import { newConsentFollower } from '#capabilities/consents/new-consent.follower.ts'
import { formFollower } from '#capabilities/forms/form.follower.ts'
import { linkFollower } from '#capabilities/links/link.follower.ts'
import { instalmentFollower } from '#capabilities/recurring/instalment.follower.ts'
import { newPlanFollower } from '#capabilities/recurring/new-plan.follower.ts'
import { lookAlikeFollower } from '#engine/look-alikes/look-alike.follower.ts'
import { orderFollower } from '#engine/orders/order.follower.ts'
import type { Followers } from '#engine/payments/follower.ts'
import { parentFollower } from '#engine/payments/parent.follower.ts'
import { receiptRequestFollower } from '#engine/receipt-requests/receipt-request.follower.ts'

// What changes together with payments. The order is the order of locks, everywhere.
export const followers: Followers = [
  linkFollower,
  formFollower,
  newConsentFollower,
  consentFollower,
  lookAlikeFollower,
  newPlanFollower,
  instalmentFollower,
  keyedRunFollower,
  orderFollower,
  parentFollower,
  bankParentFollower,
  bankItemFollower,
  receiptRequestFollower,
]
