import { addForm } from '#capabilities/forms/add-form.operation.ts'
import { type FormColors, printColors } from '#capabilities/forms/form-colors.ts'
import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import {
  type FormMasks,
  type FormOptions,
  judgeFeatures,
  optionsOf,
} from '#capabilities/forms/form-options.ts'
import { hasFees } from '#capabilities/forms/has-fees.ts'
import { findFormSetting } from '#capabilities/forms/form-setting.store.ts'
import { listForms } from '#capabilities/forms/form.store.ts'
import { type FormPayer, type FormTerms, openMinutes } from '#capabilities/forms/form.ts'
import { digestOfToken, formAddress } from '#capabilities/forms/form-token.operation.ts'
import { hasEnabledKey } from '#capabilities/forms/integrator-keys.operation.ts'
import { type FormPlan, firstPaymentOf, paysAtOnce } from '#capabilities/forms/form-plan.ts'
import { judgePlan, type PlanWish } from '#capabilities/recurring/plan-terms.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { type AskedAmounts, askedPrice } from '#engine/fees/asked-money.ts'
import { claimCallKey, findEarlier } from '#engine/idempotency/claim-keys.operation.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantFor, worksFor } from '#engine/merchants/merchant.ts'
import { mostAtOnce, tooMuchAtOnce } from '#engine/merchants/most-at-once.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import { addMoney, isSameMoney, printMoney } from '#kernel/money.ts'
import { type Ok, ok, refuse, type Result } from '#kernel/result.ts'
import { Secret } from '#kernel/secret.ts'
import { judgeTarget } from '#capabilities/forms/form-target.operation.ts'
import { randomHex } from '#platform/crypto/random.ts'

// What the caller calls these, so that a refusal can name them.
export type OptionNames = Readonly<Record<'submission' | 'visible' | 'zip' | 'street', string>>

type FormNames = OptionNames &
  Readonly<Record<'kind' | 'readOnly' | 'amounts' | 'plan' | 'postUrl' | 'redirectUrl' | 'keyIndex', string>>

export type FormWish = {
  readonly merchant: MerchantNumber
  readonly kind: 'PF' | 'PA'
  readonly masks: FormMasks
  readonly features: number
  // null: our own theme.
  readonly colors: FormColors | null
  readonly amounts: AskedAmounts | null
  // The plan that its payer agrees to, and what it is for.
  readonly plan: (PlanWish & { readonly service: string }) | null
  readonly postUrl: string
  readonly redirectUrl: string
  readonly clientRef: string
  readonly guid: string
  readonly keyIndex: string
  readonly payer: FormPayer
  readonly names: FormNames
}

export type MadeForm = { readonly url: string }

type Needs = Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'merchantReads' | 'keyRing'> &
  Pick<FormNeeds, 'publicAddress'>
type WishRefusal =
  | 'value_out_of_range'
  | 'merchant_not_found'
  | 'fees_not_configured'
  | 'total_mismatch'
  | 'form_kind_missing'
  | 'form_feature_missing'
  | 'integrator_key_unknown'
  | 'key_running'

const tokenBits = 128

// Orders a page on which somebody pays. Whatever the page may do is judged now, so that no payer meets a
// mistake of the merchant's system.
export async function initForm(
  needs: Needs,
  caller: Caller,
  wish: FormWish,
): Promise<Result<MadeForm, WishRefusal>> {
  const merchants = await listMerchants(needs, caller.accountId)
  const merchant = merchantFor(caller, merchants, wish.merchant)
  if (!merchant) return refuse('merchant_not_found', { merchant: wish.merchant })
  const kind = judgeKind(wish, merchant)
  if (!kind.ok) return kind
  const features = judgeFeatures(wish.features)
  if (!features.ok) return features
  const checks = judgeChecks(wish)
  if (!checks.ok) return checks
  const plan = planOf(needs, caller, { wish, merchant })
  if (!plan.ok) return plan
  const price = plan.value ? priceOfPlan(wish, plan.value) : priceOf(wish, merchant)
  if (!price.ok) return price
  const targets = await targetsOf(needs, caller, wish)
  if (!targets.ok) return targets
  if (wish.keyIndex !== '' && !(await hasEnabledKey(needs, caller.accountId, wish.keyIndex)))
    return refuse('integrator_key_unknown', { member: wish.names.keyIndex, index: wish.keyIndex })
  return make(needs, caller, { wish, merchant, plan: plan.value, ...price.value, ...targets.value })
}

// The same address once more: it follows from the key of the call.
export async function findMadeForm(needs: Needs, caller: Caller): Promise<Ok<MadeForm> | null> {
  const { accountId: account, callerKey } = caller
  const earlier = callerKey && (await findEarlier(needs.db, { account, ...callerKey }))
  if (!earlier?.ok || earlier.value?.kind !== 'form') return null
  const token = tokenFor(needs, caller)
  const { merchant } = earlier.value
  const mayKnow =
    merchant === null ? await isFormOf(needs, caller, token) : worksFor(caller, { merchantNumber: merchant })
  return mayKnow ? ok({ url: formAddress(needs, token) }) : null
}

// Of keys of earlier versions, which do not say for which record: the form may be gone by now.
async function isFormOf(needs: Needs, caller: Caller, token: Secret): Promise<boolean> {
  const { accountId: account, merchantNumber: merchant } = caller
  if (merchant === null) return true
  const tokenDigest = digestOfToken(needs, token)
  const found = await listForms(needs.db, {
    account,
    merchant,
    form: null,
    tokenDigest,
    reference: '',
    most: 1,
  })
  return found.length > 0
}

function judgeKind(
  { kind, merchant: number, names }: FormWish,
  { isInternational }: Merchant,
): Result<null, 'form_kind_missing'> {
  const no = (problem: string) => refuse('form_kind_missing', { member: names.kind, kind, problem })
  if (kind === 'PF') return isInternational ? no(`record ${number} is international and needs PA`) : ok(null)
  return isInternational ? ok(null) : no(`record ${number} is domestic and needs PF`)
}

// What a bank is to compare has to be known: asked for, or sent along.
export function judgeChecks({
  masks,
  payer,
  names,
}: Pick<FormWish, 'masks' | 'payer'> & { readonly names: OptionNames }): Result<null, 'value_out_of_range'> {
  const { avsNeeded, fields } = optionsOf(masks)
  const needed = { none: [], zip: ['zip'], full: ['zip', 'street'] } as const
  const missing = needed[avsNeeded].find((name) => fields[name] !== 'asked' && payer[name] === '')
  if (!missing) return ok(null)
  const known = `neither asked for (${names.visible} bit ${missing === 'zip' ? 5 : 2}) nor sent`
  return refuse('value_out_of_range', {
    problem: `${names.submission} demands a match, and ${names[missing]} is ${known}`,
  })
}

type Ordered = { readonly wish: FormWish; readonly merchant: Merchant }

// One that begins on the day of its order begins when its payer agrees, be that after midnight.
function planOf(
  { accountClock }: Needs,
  { accountId }: Caller,
  { wish: { plan: wished }, merchant }: Ordered,
): Result<FormPlan | null, 'value_out_of_range'> {
  if (!wished) return ok(null)
  const today = dateIn(merchant.timeZone, accountClock.now(accountId))
  const plan = judgePlan(wished, { merchant, today, daysBackMax: 0 })
  if (!plan.ok) return plan
  const startsOn = plan.value.startsOn.equals(today) ? null : plan.value.startsOn
  return ok({ ...plan.value, startsOn, service: wished.service })
}

type AskedPrice = Pick<FormTerms, 'amount' | 'fee'>

// The payments of a plan carry no fee, the first one included.
function priceOfPlan({ amounts, names }: FormWish, plan: FormPlan): Result<AskedPrice, 'value_out_of_range'> {
  if (amounts)
    return refuse('value_out_of_range', {
      problem: `${names.amounts} is not taken beside ${names.plan}, whose TotalAmount says what is paid`,
    })
  const fee = { minor: 0n, currency: plan.total.currency }
  return ok({ amount: paysAtOnce(plan) ? firstPaymentOf(plan) : null, fee })
}

// Without a fee the total is left to the form, which adds what the card costs.
function priceOf(
  { amounts, masks, names }: FormWish,
  merchant: Merchant,
): Result<AskedPrice, 'value_out_of_range' | 'fees_not_configured' | 'total_mismatch'> {
  const options = optionsOf(masks)
  if (!amounts) {
    if (!options.pays || options.fields.amount === 'asked') return ok({ amount: null, fee: null })
    return refuse('value_out_of_range', {
      problem:
        `${names.amounts} has no amount above 0, and the payer cannot type one: ` +
        `${names.visible} (bit 6) hides it or ${names.readOnly} (bit 6) fixes it`,
    })
  }
  const asked = askedPrice(amounts, merchant.currency)
  if (!asked.ok) return asked
  const { base, fee, total } = asked.value
  if (fee && !hasFees(merchant)) return refuse('fees_not_configured', { fee: printMoney(fee) })
  const sum = fee && addMoney(base, fee)
  if (sum && total && !isSameMoney(total, sum))
    return refuse('total_mismatch', { total: printMoney(total), sum: printMoney(sum) })
  const bound = { most: mostAtOnce(merchant), member: amounts.base.member }
  return tooMuchAtOnce(base, bound) ?? ok({ amount: base, fee })
}

type Targets = Pick<FormWish, 'postUrl' | 'redirectUrl'>

async function targetsOf(
  { db, keyRing }: Needs,
  { accountId: account }: Caller,
  { merchant, postUrl, redirectUrl, masks, names }: FormWish,
): Promise<Result<Targets, 'value_out_of_range'>> {
  const { origins } = await findFormSetting(db, { account, merchant })
  const rule = { mode: keyRing.mode, origins }
  const post = judgeTarget(postUrl, { ...rule, member: names.postUrl, isVisited: false })
  if (!post.ok) return post
  const redirect = judgeTarget(redirectUrl, { ...rule, member: names.redirectUrl, isVisited: true })
  if (!redirect.ok) return redirect
  if (post.value === '' && needsPost(optionsOf(masks)))
    return refuse('value_out_of_range', {
      problem: `${names.postUrl} is missing, and ${names.submission} asks for a post (bit 4 or 11)`,
    })
  return ok({ postUrl: post.value, redirectUrl: redirect.value })
}

function needsPost({ postsSilently, postsJson }: FormOptions): boolean {
  return postsSilently || postsJson
}

type Making = Targets & AskedPrice & Ordered & { readonly plan: FormPlan | null }

async function make(
  needs: Needs,
  caller: Caller,
  { wish, merchant, amount, fee, plan, postUrl, redirectUrl }: Making,
): Promise<Result<MadeForm, 'key_running'>> {
  const { accountId, userId, callerKey } = caller
  const token = tokenFor(needs, caller)
  const createdAt = needs.accountClock.now(accountId)
  const { masks, colors, clientRef, guid, keyIndex, payer } = wish
  const isMade = await needs.db.inTransaction(async (tx) => {
    if (callerKey) {
      const { merchantNumber: number } = merchant
      const made = { kind: 'form', digest: tokenDigestText(needs, token), merchant: number } as const
      const claim = { account: accountId, callerKey, made }
      if (!(await claimCallKey(tx, claim, needs.clock.now()))) return false
    }
    await addForm({ ...needs, db: tx }, token, {
      accountId,
      merchantNumber: merchant.merchantNumber,
      userId,
      amount,
      fee,
      currency: merchant.currency,
      masks,
      colors: colors ? printColors(colors) : '',
      postUrl,
      redirectUrl,
      clientRef,
      guid,
      keyIndex,
      linkId: null,
      payer,
      plan,
      createdAt,
      expiresAt: createdAt.add({ minutes: openMinutes }),
    })
    return true
  })
  // Somebody else was first in the very same moment, and what it made is found again by the key.
  return isMade ? ok({ url: formAddress(needs, token) }) : refuse('key_running')
}

function tokenDigestText(needs: Needs, token: Secret): string {
  return digestOfToken(needs, token).toString('hex').slice(0, 32)
}

// A call that can be repeated must find the same address again, of which only a digest is stored.
function tokenFor({ keyRing }: Needs, { accountId, callerKey }: Caller): Secret {
  if (!callerKey) return new Secret(randomHex(tokenBits))
  const derived = keyRing.keyedDigest('form-token', `made\n${accountId}\n${callerKey.key}`)
  return new Secret(derived.toString('hex').slice(0, tokenBits / 4))
}
