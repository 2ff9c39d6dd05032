import { Complaint } from '#apps/complaint.ts'
import { accountByCode } from '#apps/cli/account.ts'
import { type Command, dropUndefined, type Invocation, type Options, type Report } from '#apps/cli/command.ts'
import type { Row } from '#apps/cli/print-table.ts'
import { minuteFrom, timeText } from '#apps/cli/time-of-day.ts'
import { hastenToZone } from '#capabilities/settlement/close-day.operation.ts'
import { regionRuleOn } from '#engine/fees/region-caps.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { addMerchant } from '#engine/merchants/add-merchant.operation.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import {
  type FeeKind,
  feeKinds,
  type Merchant,
  merchantDefaults,
  type MerchantSettings,
} from '#engine/merchants/merchant.ts'
import { regionCode } from '#engine/merchants/region.ts'
import {
  consentDaysMax,
  feeBasisPointsMax,
  lookAlikeSecondsMax,
  type SettingsProblem,
} from '#engine/merchants/settings-problem.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import { isTimeZone } from '#kernel/calendar.ts'
import { type Currency, currencyCode } from '#kernel/currency.ts'
import { parseDecimal, printDecimal, unitsAtScale } from '#kernel/decimal.ts'
import { merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import { isMoreThan, moneyFromDecimal, printMoney } from '#kernel/money.ts'

// As long as the interface can tell them.
const described = { account: 9, name: 75, location: 75, address: 300, terminal: 75, zone: 75, currency: 3 }
const fees = { region: 6, fee: 11, 'fee-percent': 12, 'fee-fixed': 20 }
const consents = { 'limit-per-charge': 20, 'limit-lifetime': 20, 'consent-days': 5 }
const texts = {
  ...described,
  ...fees,
  ...consents,
  'collect-at': 5,
  'look-alike-seconds': 5,
  'card-like-references': 200,
}
const flags = ['international', 'ach', 'region-confirmed', 'collect', 'mail-receipts']
const settingsUsage = [
  '[--location TEXT] [--address TEXT] [--terminal ID] [--zone America/New_York] [--currency USD]',
  '[--[no-]international] [--[no-]ach] [--region CO] [--[no-]region-confirmed]',
  '[--fee none|surcharge|convenience] [--fee-percent 3] [--fee-fixed 2.50]',
  '[--limit-per-charge 100000] [--limit-lifetime 1000000] [--consent-days 365]',
  '[--[no-]collect] [--collect-at 03:00] [--look-alike-seconds 0] [--[no-]mail-receipts]',
  '[--card-like-references REASON]',
].join(' ')
// The largest amount that the interface can tell, without its decimals.
const unitsMax = 9_999_999_999n

export const merchantCommands: Readonly<Record<string, Command>> = {
  add: {
    usage: `tillgate merchant add --account CODE --name TEXT ${settingsUsage}`,
    summary: 'Add a merchant record to an account',
    subject: null,
    texts,
    flags,
    run: add,
  },
  set: {
    usage: `tillgate merchant set NUMBER --account CODE [--name TEXT] ${settingsUsage}`,
    summary: 'Change a merchant record',
    subject: 'merchant number',
    texts,
    flags,
    run: set,
  },
  list: {
    usage: 'tillgate merchant list --account CODE',
    summary: 'List the merchant records of an account',
    subject: null,
    texts: { account: 9 },
    flags: [],
    run: async ({ context, options }) => {
      const account = await accountByCode({ context, code: options.needText('account') })
      return { rows: (await listMerchants(context, account.accountId)).map(merchantRow) }
    },
  },
}

async function add({ context, options }: Invocation): Promise<Report> {
  const account = await accountByCode({ context, code: options.needText('account') })
  const currency = currencyFrom(options.text('currency') ?? 'USD')
  const settings: MerchantSettings = {
    ...merchantDefaults(currency),
    ...changesFrom(options, currency),
    name: options.needText('name'),
  }
  const added = await addMerchant(context, { account: account.accountId, settings })
  if (added.ok) return reportOn(context, added.value)
  const gone = `The account ${account.accountCode} is gone.`
  throw new Complaint({ ...problems, account_not_found: gone }[added.refusal.kind])
}

async function set({ context, options, subject }: Invocation): Promise<Report> {
  const account = await accountByCode({ context, code: options.needText('account') })
  const number = merchantNumberFrom(subject)
  const missing = `The account ${account.accountCode} has no merchant record ${subject}.`
  const charged = `Merchant record ${subject} has charges: add another one that is, or is not, international.`
  const inUse = `Merchant record ${subject} is used with its currency already: add another one.`
  const records = await listMerchants(context, account.accountId)
  const current = merchantNumbered(records, number)
  if (!current) throw new Complaint(missing)
  const named = options.text('currency')
  const currency = named === undefined ? current.currency : currencyFrom(named)
  const changes = { ...changesFrom(options, currency), currency }
  const { timeZone = current.timeZone } = changes
  if (timeZone !== current.timeZone) await hastenToZone(context, { ...current, timeZone })
  const changed = await changeMerchant(context, { account: account.accountId, merchant: number, changes })
  if (changed.ok) return reportOn(context, changed.value)
  const reasons = {
    ...problems,
    merchant_not_found: missing,
    record_has_charges: charged,
    currency_in_use: inUse,
  }
  throw new Complaint(reasons[changed.refusal.kind])
}

const problems: Readonly<Record<SettingsProblem | 'amount_not_in_currency', string>> = {
  fee_kind_not_chosen: 'Which fee is it? Say --fee surcharge or --fee convenience beside its amount.',
  fee_percent_out_of_range: `--fee-percent is at most ${feeBasisPointsMax / 100}.`,
  surcharge_without_percent: 'A surcharge is a percentage: say --fee-percent 3.',
  surcharge_with_fixed_amount: 'A surcharge has no fixed amount: leave --fee-fixed out, or say 0.',
  surcharge_without_region:
    'What a surcharge may be depends on the state: say --region, such as --region IL.',
  convenience_without_fixed_amount: 'A convenience fee has a fixed amount: say --fee-fixed 2.50.',
  limit_not_positive: '--limit-per-charge and --limit-lifetime are more than 0.',
  consent_days_out_of_range: `--consent-days is a whole number from 1 to ${consentDaysMax}.`,
  look_alike_seconds_out_of_range: `--look-alike-seconds is a whole number from 0 to ${lookAlikeSecondsMax}.`,
  amount_not_in_currency:
    'The fee or a limit does not exist in that currency: name it anew beside --currency.',
}

function reportOn({ accountClock }: Pick<Invocation['context'], 'accountClock'>, merchant: Merchant): Report {
  const today = dateIn(merchant.timeZone, accountClock.now(merchant.accountId))
  const note = warningAbout(merchant, today)
  return { rows: [merchantRow(merchant)], ...(note === null ? {} : { note }) }
}

// An operator should not learn from the first customer that a surcharge is configured in vain.
function warningAbout(merchant: Merchant, today: Temporal.PlainDate): string | null {
  if (merchant.feeKind !== 'surcharge') return null
  const law = regionRuleOn(merchant.region, today)
  if (law?.kind === 'forbidden') return `${law.name} forbids surcharges, so none will be charged.`
  if (law?.kind !== 'confirm' || merchant.isRegionConfirmed) return null
  return `No surcharge is charged in ${law.name} until you confirm it with counsel: --region-confirmed.`
}

export function merchantNumberFrom(text: string): MerchantNumber {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Complaint(`${text} is no merchant number: 1, 2, 3 and so on.`)
  return merchantNumber(Number(text))
}

function changesFrom(options: Options, currency: Currency): Partial<MerchantSettings> {
  const zone = options.text('zone')
  if (options.text('name') === '') throw new Complaint('--name is empty: a merchant record has a name.')
  if (zone !== undefined && !isTimeZone(zone))
    throw new Complaint(`${zone} is no time zone such as America/New_York.`)
  const amount = (text: string) => minorFrom(text, currency)
  const read = <T>(name: string, from: (text: string) => T): T | undefined => {
    const text = options.text(name)
    return text === undefined ? undefined : from(text)
  }
  return dropUndefined({
    name: options.text('name'),
    location: options.text('location'),
    address: options.text('address'),
    terminalId: options.text('terminal'),
    timeZone: zone,
    isInternational: options.flag('international'),
    takesAch: options.flag('ach'),
    region: read('region', regionFrom),
    isRegionConfirmed: options.flag('region-confirmed'),
    feeKind: read('fee', feeKindFrom),
    feeBasisPoints: read('fee-percent', basisPointsFrom),
    feeFixedMinor: read('fee-fixed', amount),
    limitPerChargeMinor: read('limit-per-charge', amount),
    limitLifetimeMinor: read('limit-lifetime', amount),
    consentDays: read('consent-days', daysFrom),
    collectsAutomatically: options.flag('collect'),
    collectsAtMinute: read('collect-at', minuteFrom),
    lookAlikeSeconds: read('look-alike-seconds', secondsFrom),
    mailsReceipts: options.flag('mail-receipts'),
    cardLikeReferencesReason: options.text('card-like-references')?.trim(),
  })
}

function regionFrom(text: string): string {
  const region = text === '' ? '' : regionCode(text)
  if (region === null) throw new Complaint(`${text} is no region: a state such as CO, or elsewhere DE-BE.`)
  return region
}

function feeKindFrom(text: string): FeeKind {
  const kind = feeKinds.find((one) => one === text)
  if (!kind) throw new Complaint(`${text} is no kind of fee: ${feeKinds.join(', ')}.`)
  return kind
}

function basisPointsFrom(text: string): number {
  const decimal = parseDecimal(text)
  const basisPoints = decimal && unitsAtScale(decimal, 2)
  if (basisPoints === null || basisPoints < 0n || basisPoints > BigInt(feeBasisPointsMax))
    throw new Complaint(`${text} is no percentage from 0 to ${feeBasisPointsMax / 100}, such as 3 or 2.75.`)
  return Number(basisPoints)
}

function minorFrom(text: string, currency: Currency): bigint {
  const decimal = parseDecimal(text)
  const money = decimal && moneyFromDecimal(decimal, currency)
  const most = moneyFromDecimal({ units: unitsMax, scale: 0 }, currency)
  if (!money || !most || money.minor < 0n || isMoreThan(money, most))
    throw new Complaint(`${text} is no amount in ${currency}.`)
  return money.minor
}

function daysFrom(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new Complaint(problems.consent_days_out_of_range)
  return Number(text)
}

function secondsFrom(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new Complaint(problems.look_alike_seconds_out_of_range)
  return Number(text)
}

function currencyFrom(text: string): Currency {
  const currency = currencyCode(text.toUpperCase())
  if (!currency) throw new Complaint(`${text} is no currency of ISO 4217.`)
  return currency
}

function merchantRow(merchant: Merchant): Row {
  const { currency } = merchant
  const printed = (minor: bigint) => printMoney({ minor, currency })
  return {
    number: merchant.merchantNumber,
    name: merchant.name,
    location: merchant.location,
    address: merchant.address,
    terminal: merchant.terminalId,
    zone: merchant.timeZone,
    currency,
    international: merchant.isInternational,
    ach: merchant.takesAch,
    region: merchant.region,
    regionConfirmed: merchant.isRegionConfirmed,
    fee: merchant.feeKind,
    feePercent: printDecimal({ units: BigInt(merchant.feeBasisPoints), scale: 2 }),
    feeFixed: printed(merchant.feeFixedMinor),
    limitPerCharge: printed(merchant.limitPerChargeMinor),
    limitLifetime: printed(merchant.limitLifetimeMinor),
    consentDays: merchant.consentDays,
    collect: merchant.collectsAutomatically,
    collectAt: timeText(merchant.collectsAtMinute),
    lookAlikeSeconds: merchant.lookAlikeSeconds,
    mailReceipts: merchant.mailsReceipts,
    cardLikeReferences: merchant.cardLikeReferencesReason,
  }
}
