import { Type } from 'typebox'
import { parseColors } from '#capabilities/forms/form-colors.ts'
import { parseMask } from '#capabilities/forms/form-options.ts'
import type { FormWish, MadeForm } from '#capabilities/forms/init-form.operation.ts'
import {
  subscriptionFrom,
  subscriptionName,
  SubscriptionRequest,
} from '#capabilities/forms/subscription.wire.ts'
import { AmountsRequest, exact, readAmounts } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { patternOf, published } from '#capabilities/wire/published.wire.ts'
import {
  orNull,
  outOfRange,
  WireAddress,
  WireEmail,
  WireId,
  type WireOf,
  WirePhone,
  WireReference,
  WireText,
} from '#capabilities/wire/scalars.wire.ts'
import type { AskedAmounts } from '#engine/fees/asked-money.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { ok, type Result } from '#kernel/result.ts'

const Address = Type.Object(
  {
    StreetAddress: Type.Optional(WireText(100, 'Street and house.')),
    City: Type.Optional(WireText(75, 'City.')),
    State: Type.Optional(WireText(75, 'State.')),
    ZIP: Type.Optional(WireText(20, 'Postal code.')),
    Country: Type.Optional(WireText(75, 'Country.')),
  },
  { title: 'BillingAddress' },
)

const Payer = Type.Object(
  {
    Firstname: Type.Optional(WireText(75, 'First name.')),
    Lastname: Type.Optional(WireText(75, 'Last name.')),
    Email: Type.Optional(WireEmail('E-mail.')),
    Phone: Type.Optional(WirePhone('Phone, of at most 16 digits.')),
    BillingAddress: Type.Optional(Address),
  },
  { title: 'Payer' },
)

const WireMask = (description: string) =>
  Type.String({ maxLength: 64, description, ...published({ pattern: '^\\s*[0-9A-Fa-f]{1,4}\\s*$' }) })

// Texts, because that is how they are sent; what the digits mean stands in docs/hosted-form.md.
const WidOptions = Type.Object(
  {
    eVisible: WireMask('Which fields are shown: 1 to 4 hex digits.'),
    eReadOnly: WireMask('Which of them cannot be changed: 1 to 4 hex digits.'),
    eStyles: WireMask('How it looks: 1 to 4 hex digits.'),
    eSubmission: WireMask('What it does and what follows: 1 to 4 hex digits.'),
    eColors: Type.String({
      maxLength: 400,
      description: 'Seven colours, separated by commas: hex or CSS names. Empty for the usual ones.',
      ...published({ pattern: '^\\s*$|^([^,]+,){6}[^,]+$' }),
    }),
    eFeatures: Type.Optional(WireMask('0001: a subscription; other bits are reserved. 1 to 4 hex digits.')),
  },
  { title: 'WidOptions' },
)

const InitParams = Type.Object(
  {
    MerchID: WireId('The merchant record that is paid.'),
    WTYPE: Type.String({
      maxLength: 2,
      description: 'PF, the regular form; PA, the international one.',
      ...published({ pattern: patternOf(['PF', 'PA']) }),
    }),
    PostURL: Type.Optional(WireAddress(4_096, 'Where values are posted after payment.')),
    RedirectURL: Type.Optional(WireAddress(4_096, 'Where the payer goes after payment.')),
    REF_ID: Type.Optional(WireReference(75, 'Your own reference.')),
    RPGUID: Type.Optional(WireReference(75, 'Another reference of yours.')),
    EndPoint: Type.String({
      maxLength: 40,
      description: 'Always PayForm/PF.aspx.',
      ...published({ pattern: patternOf([String.raw`/*PayForm/PF\.aspx`]) }),
    }),
    EINDEX: Type.Optional(WireText(40, 'The index of the integrator key that values are encrypted with.')),
    Amounts: Type.Optional(AmountsRequest),
    Payer: Type.Optional(Payer),
    Subscription: Type.Optional(SubscriptionRequest),
    WidOptions,
  },
  { title: 'InitParams' },
)

const InitRequest = Type.Object({ InitParams })

const usualColors = '#ffffff,#428bca,#007bff,#212121,#ffffff,#212121,#ffffff'

export const initFormContract = defineContract({
  path: 'CardSale/InitForm',
  prefix: '/APIcardProcService/v1.0.0/',
  resultKey: 'PaymentInitResult',
  access: 'session',
  load: 'change',
  currencyOf: { kind: 'record', path: 'InitParams.MerchID' },
  takesKey: true,
  isBeyondSpecification: false,
  title: 'Initialize the hosted payment form',
  description:
    'Makes a page on which a payer pays by card or bank account, saves a card, or both, or agrees to ' +
    'regular payments, and returns its address. It opens for 60 minutes and until one success. What the ' +
    'digits of WidOptions mean stands in docs/hosted-form.md; `tillgate form explain` decodes them.',
  request: InitRequest,
  result: Type.Object({
    PaymentUrl: orNull(WireText(4_096, 'Opens the form; null when there is none.')),
  }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'key_running',
    'key_reused',
    'value_out_of_range',
    'merchant_not_found',
    'fees_not_configured',
    'total_mismatch',
    'form_kind_missing',
    'form_feature_missing',
    'integrator_key_unknown',
  ],
  example: {
    request: {
      InitParams: {
        MerchID: 1,
        WTYPE: 'PF',
        REF_ID: 'invoice-1042',
        RPGUID: 'visit-7',
        EndPoint: 'PayForm/PF.aspx',
        Amounts: { BaseAmt: 125 },
        Payer: { Firstname: 'Ada', Lastname: 'Miller', Email: 'ada@example.com' },
        WidOptions: {
          eVisible: 'A063',
          eReadOnly: '0040',
          eStyles: '000A',
          eSubmission: '0208',
          eColors: usualColors,
          eFeatures: '0020',
        },
      },
    },
    result: { PaymentUrl: 'http://127.0.0.1:8080/PayForm/PF.aspx?s=3f0c9a1be2d84756a1b2c3d4e5f60718' },
    message: 'successfully returned payment Url',
  },
  fromWire: wishFromWire,
  toWire: ({ url }: MadeForm) => ({
    message: 'successfully returned payment Url',
    members: { PaymentUrl: url },
  }),
  refusedToWire: () => ({ PaymentUrl: null }),
})

const endPoint = 'payform/pf.aspx'

function wishFromWire({ InitParams: params }: WireOf<typeof InitRequest>): Result<FormWish, RequestFault> {
  if (params.EndPoint.replace(/^\/+/, '').toLowerCase() !== endPoint)
    return outOfRange('InitParams.EndPoint must be PayForm/PF.aspx')
  const kind = kindOf(params.WTYPE)
  if (!kind) return outOfRange(`${names.kind} must be PF or PA`)
  const masks = masksFrom(params.WidOptions)
  if (!masks.ok) return masks
  const colors = parseColors(params.WidOptions.eColors, 'InitParams.WidOptions.eColors')
  if (!colors.ok) return colors
  const amounts = amountsFrom(params.Amounts)
  if (!amounts.ok) return amounts
  const plan = subscriptionFrom(params.Subscription, masks.value.features)
  if (!plan.ok) return plan
  const { Payer: payer } = params
  return ok({
    merchant: merchantNumber(params.MerchID),
    kind,
    ...masks.value,
    colors: colors.value,
    amounts: amounts.value,
    plan: plan.value,
    postUrl: params.PostURL ?? '',
    redirectUrl: params.RedirectURL ?? '',
    clientRef: params.REF_ID ?? '',
    guid: params.RPGUID ?? '',
    keyIndex: params.EINDEX ?? '',
    payer: {
      firstName: payer?.Firstname ?? '',
      lastName: payer?.Lastname ?? '',
      email: payer?.Email ?? '',
      phone: payer?.Phone ?? '',
      street: payer?.BillingAddress?.StreetAddress ?? '',
      city: payer?.BillingAddress?.City ?? '',
      state: payer?.BillingAddress?.State ?? '',
      zip: payer?.BillingAddress?.ZIP ?? '',
      country: payer?.BillingAddress?.Country ?? '',
    },
    names,
  })
}

const names: FormWish['names'] = {
  kind: 'InitParams.WTYPE',
  amounts: 'InitParams.Amounts',
  plan: subscriptionName,
  postUrl: 'InitParams.PostURL',
  redirectUrl: 'InitParams.RedirectURL',
  keyIndex: 'InitParams.EINDEX',
  submission: 'InitParams.WidOptions.eSubmission',
  visible: 'InitParams.WidOptions.eVisible',
  readOnly: 'InitParams.WidOptions.eReadOnly',
  zip: 'InitParams.Payer.BillingAddress.ZIP',
  street: 'InitParams.Payer.BillingAddress.StreetAddress',
}

function kindOf(text: string): FormWish['kind'] | null {
  const kind = text.toUpperCase()
  return kind === 'PF' || kind === 'PA' ? kind : null
}

type Masks = Pick<FormWish, 'masks' | 'features'>

function masksFrom(options: WireOf<typeof WidOptions>): Result<Masks, 'value_out_of_range'> {
  const { eVisible, eReadOnly, eStyles, eSubmission, eFeatures = '0' } = options
  const named = { eVisible, eReadOnly, eStyles, eSubmission, eFeatures }
  const wrong = Object.entries(named).find(([, text]) => parseMask(text) === null)
  if (wrong) return outOfRange(`InitParams.WidOptions.${wrong[0]} must have one to four hex digits`)
  return ok({
    masks: {
      visible: parseMask(eVisible) ?? 0,
      readOnly: parseMask(eReadOnly) ?? 0,
      styles: parseMask(eStyles) ?? 0,
      submission: parseMask(eSubmission) ?? 0,
    },
    features: parseMask(eFeatures) ?? 0,
  })
}

// All three are optional here, and clients of the family send zeros for what they leave to the payer.
function amountsFrom(
  body: WireOf<typeof AmountsRequest> | undefined,
): Result<AskedAmounts | null, RequestFault> {
  if (!body) return ok(null)
  const { BaseAmt, Amount, Surcharge, TotalAmt } = body
  if ([BaseAmt, Amount, Surcharge, TotalAmt].every((one) => !one)) return ok(null)
  const read = readAmounts(body, names.amounts)
  if (!read.ok) return read
  const total = TotalAmt ? { amount: exact(TotalAmt), member: `${names.amounts}.TotalAmt` } : null
  return ok({ ...read.value, total })
}
