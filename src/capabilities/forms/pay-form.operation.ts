import { setTimeout as delay } from 'node:timers/promises'
import { type DeclineFamily, declineFamilyOf } from '#capabilities/forms/decline-family.ts'
import { chargeFormAccount } from '#capabilities/forms/charge-form-account.operation.ts'
import { chargeFormCard } from '#capabilities/forms/charge-form-card.operation.ts'
import type { CardOnFile, FormExtras } from '#capabilities/forms/form-extras.ts'
import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import { priceOf } from '#capabilities/forms/form-price.ts'
import type { Tongue } from '#capabilities/forms/form-words.ts'
import { postForms } from '#capabilities/forms/post-forms.operation.ts'
import { permitTry, type Puzzle } from '#capabilities/forms/guard-tries.operation.ts'
import {
  type Problems,
  readSubmission,
  type SentFields,
  type Submission,
} from '#capabilities/forms/read-submission.ts'
import { browserDigest, type FormView, showForm } from '#capabilities/forms/show-form.operation.ts'
import { isConsentRefusal } from '#capabilities/consents/consent-limits.ts'
import { takesAch } from '#capabilities/bank-debits/charge-bank-account.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import type { FeeQuote } from '#engine/fees/quote-fees.ts'
import type { Paid } from '#engine/payments/pay.operation.ts'
import { assert } from '#kernel/assert.ts'
import type { Secret } from '#kernel/secret.ts'
import { randomInt } from 'node:crypto'

export type PayNeeds = EngineContext & FormNeeds

export type PayOrder = {
  readonly token: Secret
  readonly browser: Secret
  readonly address: string
  readonly tongue: Tongue
  readonly sent: SentFields
  readonly extras?: FormExtras
}

export type PayAnswer =
  | { readonly kind: 'no_form' }
  // The page is not the one that we would show now, or not ours at all: nothing was done.
  | { readonly kind: 'stale' }
  | { readonly kind: 'problems'; readonly problems: Problems }
  // The payer has not seen this total yet.
  | { readonly kind: 'review'; readonly price: FeeQuote; readonly submission: Submission }
  | { readonly kind: 'puzzle'; readonly puzzle: Puzzle }
  | { readonly kind: 'blocked' | 'closed' }
  | { readonly kind: 'paid' | 'pending' }
  | { readonly kind: 'declined'; readonly family: DeclineFamily }

// Declines take differently long, so that nobody learns anything from their time.
const jitterMs = { least: 200, most: 800 }

// Somebody pressed the button. However often, in however many tabs, and whatever dies meanwhile: the form's
// row lets one attempt at a time begin, and none after a success.
export async function payForm(needs: PayNeeds, order: PayOrder): Promise<PayAnswer> {
  const { sent } = order
  const view = await showForm(needs, order)
  if (!view) return { kind: 'no_form' }
  if (view.standing !== 'open' || sent.get('k') !== view.pageKey) return { kind: 'stale' }
  const onFile = order.extras?.onFile ?? null
  const { problems, submission } = readSubmission({ ...factsOf(view), onFile }, sent)
  if (!submission) return { kind: 'problems', problems }
  const price = submission.amount && priceFor(needs, view, { ...submission, onFile })
  if (price && sent.get('total') !== String(price.total.minor)) return { kind: 'review', price, submission }
  const permit = await permitTry(needs, {
    form: view.form,
    address: order.address,
    digits: digitsOf(submission, onFile),
    proof: sent.get('proof') ?? '',
  })
  if (permit.kind !== 'free') return permit
  if (needs.sending.hold) return { kind: 'declined', family: 'unreachable' }
  const answer = answerTo(await charge(needs, order, { view, submission, price }))
  await permit.tell(answer.kind === 'declined')
  if (answer.kind === 'declined' && needs.hasFormLimits) {
    await delay(randomInt(jitterMs.least, jitterMs.most))
  }
  if (answer.kind === 'paid') await postForms(needs, view.form.formId)
  return answer
}

export function factsOf({ form, merchant, now }: FormView) {
  return {
    ...form,
    today: now.toZonedDateTimeISO(merchant.timeZone).toPlainDate(),
    amountMaxMinor: merchant.limitPerChargeMinor,
    takesAch: takesAch(merchant),
  }
}

function priceFor(
  { acquirer }: Pick<PayNeeds, 'acquirer'>,
  view: FormView,
  { means, amount, onFile }: Submission & { readonly onFile: CardOnFile | null },
): FeeQuote | null {
  if (!amount) return null
  const { today } = factsOf(view)
  const card =
    means.kind === 'card'
      ? { brand: means.card.number.brand, kind: acquirer.describeCard(means.card.number) }
      : means.kind === 'on_file'
        ? onFile
        : null
  return priceOf(amount, { merchant: view.merchant, today, card })
}

function digitsOf({ means }: Submission, onFile: CardOnFile | null): string {
  if (means.kind === 'on_file') return `on file ${onFile?.lastFour}`
  return means.kind === 'card' ? means.card.number.reveal() : means.account.number.reveal()
}

type Charging = {
  readonly view: FormView
  readonly submission: Submission
  readonly price: FeeQuote | null
}

function charge(
  needs: PayNeeds,
  { browser, address, tongue, extras }: PayOrder,
  { view, submission, price }: Charging,
): Promise<Paid> {
  const { form, merchant } = view
  const detail = { tries: form.tries, browser: browserDigest(needs, browser) }
  const { means } = submission
  const also = extras?.also ?? []
  switch (means.kind) {
    case 'card':
      return chargeFormCard(needs, {
        form,
        merchant,
        card: means.card,
        submission,
        price,
        address,
        tongue,
        detail,
        also,
      })
    case 'bank':
      return chargeFormAccount(needs, { form, account: means.account, submission, detail, also })
    case 'on_file': {
      assert(price && extras?.onFile, 'a card on file pays an amount')
      const { securityCode } = means
      return extras.onFile.charge({ form, merchant, price, securityCode, detail })
    }
  }
}

function answerTo(paid: Paid): PayAnswer {
  if (paid.kind === 'refused' && isConsentRefusal(paid.refusal))
    return { kind: 'declined', family: 'declined' }
  if (paid.kind !== 'recorded') return { kind: 'stale' }
  const { attempt } = paid
  if (attempt.state === 'approved') return { kind: 'paid' }
  const family = declineFamilyOf(attempt)
  return family ? { kind: 'declined', family } : { kind: 'pending' }
}
