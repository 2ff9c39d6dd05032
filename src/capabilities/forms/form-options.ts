import { ok, refuse, type Result } from '#kernel/result.ts'

// The masks as the merchant's system sent them: 16 bits each, as docs/hosted-form.md explains them.
export type FormMasks = {
  readonly visible: number
  readonly readOnly: number
  readonly styles: number
  readonly submission: number
}

export type PayerField =
  | 'firstName'
  | 'lastName'
  | 'street'
  | 'city'
  | 'state'
  | 'zip'
  | 'amount'
  | 'clientRef'
  | 'guid'
  | 'email'
// fixed: shown, but not to be changed.
export type FieldPresence = 'hidden' | 'asked' | 'fixed'

export type FormOptions = {
  readonly fields: Readonly<Record<PayerField, FieldPresence>>
  // One field for the whole name, because only one of the two was ticked.
  readonly hasFullName: boolean
  readonly asksToAgree: boolean
  readonly asksToMail: boolean
  readonly showsLogos: boolean
  readonly look: FormLook
  readonly pays: boolean
  readonly saving: 'none' | 'offered' | 'needed'
  // To a RedirectURL, where there is one.
  readonly redirects: boolean
  readonly ending: 'both_receipts' | 'customer_receipt' | 'message'
  readonly postsSilently: boolean
  // A PostURL that is given is always posted to: as JSON, else by GET.
  readonly postsJson: boolean
  readonly tellsParent: boolean
  readonly idsOnly: boolean
  readonly avsNeeded: 'none' | 'zip' | 'full'
  readonly cvvNeeded: boolean
}

export type FormLook = {
  readonly labels: 'above' | 'left' | 'inside'
  readonly corners: 'soft' | 'round' | 'subtle'
  readonly font: 'plain' | 'serif' | 'grotesque'
  readonly boxes: 'usual' | 'tall' | 'short'
  readonly marksRequired: boolean
  readonly buttons: 'both' | 'pay_only' | 'none'
}

export function optionsOf(masks: FormMasks): FormOptions {
  const { visible, readOnly, submission } = masks
  const shows = (bit: number) => isSet(visible, bit)
  const hasFullName = shows(0) !== shows(1)
  const presenceOf = (bit: number): FieldPresence =>
    shows(bit) ? (isSet(readOnly, bit) ? 'fixed' : 'asked') : 'hidden'
  const pays = isSet(submission, 9) || !isSet(submission, 10)
  return {
    fields: {
      firstName: presenceOf(0),
      lastName: presenceOf(1),
      street: presenceOf(2),
      city: presenceOf(3),
      state: presenceOf(4),
      zip: presenceOf(5),
      amount: presenceOf(6),
      clientRef: presenceOf(7),
      guid: presenceOf(8),
      email: presenceOf(13),
    },
    hasFullName,
    asksToAgree: shows(11) && pays,
    asksToMail: shows(14) && pays,
    showsLogos: shows(15),
    look: lookOf(masks.styles),
    pays,
    saving: pays ? (isSet(submission, 10) || shows(12) ? 'offered' : 'none') : 'needed',
    ...endingOf(submission),
  }
}

// Of a form that makes a payment plan: the payer agrees to the plan, which keeps the card and says what is
// paid, whatever the masks say of that.
export function optionsOfPlan(masks: FormMasks, pays: boolean): FormOptions {
  const options = optionsOf(masks)
  const { fields } = options
  return {
    ...options,
    fields: { ...fields, amount: 'fixed' },
    pays,
    saving: 'needed',
    asksToAgree: false,
    asksToMail: isSet(masks.visible, 14) && pays,
  }
}

// Within a group the lowest bit wins.
function lookOf(styles: number): FormLook {
  const first = <const Word extends string>(choices: readonly (readonly [number, Word])[], usual: Word) =>
    choices.find(([bit]) => isSet(styles, bit))?.[1] ?? usual
  return {
    labels: first(
      [
        [0, 'left'],
        [1, 'above'],
        [2, 'inside'],
      ] as const,
      'above',
    ),
    corners: first(
      [
        [3, 'soft'],
        [4, 'round'],
        [6, 'subtle'],
      ] as const,
      'soft',
    ),
    font: first(
      [
        [5, 'serif'],
        [8, 'grotesque'],
        [16, 'plain'],
      ] as const,
      'plain',
    ),
    boxes: first(
      [
        [11, 'tall'],
        [12, 'short'],
        [16, 'usual'],
      ] as const,
      'usual',
    ),
    marksRequired: isSet(styles, 7),
    buttons: first(
      [
        [9, 'none'],
        [10, 'pay_only'],
        [16, 'both'],
      ] as const,
      'both',
    ),
  }
}

// Bits 0 to 5 of eSubmission are one group: each that is set is done, and none of them means a redirect.
const afterPayment = 0b11_1111

function endingOf(submission: number) {
  const on = (bit: number) => isSet(submission, bit)
  return {
    redirects: on(0) || (submission & afterPayment) === 0,
    ending: on(1) ? 'both_receipts' : on(2) ? 'customer_receipt' : 'message',
    postsSilently: on(4),
    tellsParent: on(5),
    avsNeeded: on(6) ? 'full' : on(7) ? 'zip' : 'none',
    cvvNeeded: on(8),
    postsJson: on(11),
    idsOnly: on(12),
  } as const
}

export function isSet(mask: number, bit: number): boolean {
  return ((mask >> bit) & 1) === 1
}

// One to four hex digits; null when it is something else.
export function parseMask(text: string): number | null {
  return /^[0-9a-f]{1,4}$/i.test(text) ? Number.parseInt(text, 16) : null
}

const features: readonly (readonly [number, string])[] = [
  [2, 'wallets'],
  [3, 'authorization only'],
]

export function asksForPlan(mask: number): boolean {
  return isSet(mask, 0)
}

// What is asked for and does not exist yet is refused by its name; other bits mean nothing here.
export function judgeFeatures(mask: number): Result<null, 'form_feature_missing'> {
  const missing = features.filter(([bit]) => isSet(mask, bit)).map(([, name]) => name)
  return missing.length === 0 ? ok(null) : refuse('form_feature_missing', { feature: missing.join(', ') })
}
