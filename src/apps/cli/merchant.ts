import { Complaint } from '#apps/complaint.ts'
import { accountByCode } from '#apps/cli/account.ts'
import { type Command, dropUndefined, type Invocation, type Options, type Row } from '#apps/cli/command.ts'
import { addMerchant } from '#engine/merchants/add-merchant.operation.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import type { Merchant, MerchantSettings } from '#engine/merchants/merchant.ts'
import { isTimeZone } from '#kernel/calendar.ts'
import { type Currency, currencyCode } from '#kernel/currency.ts'
import { merchantNumber, type MerchantNumber } from '#kernel/ids.ts'

// As long as the interface can tell them.
const texts = { account: 9, name: 75, location: 75, address: 300, terminal: 75, zone: 75, currency: 3 }
const flags = ['international', 'ach']
const settingsUsage =
  '[--location TEXT] [--address TEXT] [--terminal ID] [--zone America/New_York] [--currency USD] [--[no-]international] [--[no-]ach]'

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

async function add({ context, options }: Invocation) {
  const account = await accountByCode({ context, code: options.needText('account') })
  const settings: MerchantSettings = {
    location: '',
    address: '',
    terminalId: '',
    timeZone: 'UTC',
    currency: currencyFrom('USD'),
    isInternational: false,
    takesAch: false,
    ...changesFrom(options),
    name: options.needText('name'),
  }
  const added = await addMerchant(context, { account: account.accountId, settings })
  if (!added.ok) throw new Complaint(`The account ${account.accountCode} is gone.`)
  return { rows: [merchantRow(added.value)] }
}

async function set({ context, options, subject }: Invocation) {
  const account = await accountByCode({ context, code: options.needText('account') })
  const changed = await changeMerchant(context, {
    account: account.accountId,
    merchant: merchantNumberFrom(subject),
    changes: changesFrom(options),
  })
  if (!changed.ok)
    throw new Complaint(`The account ${account.accountCode} has no merchant record ${subject}.`)
  return { rows: [merchantRow(changed.value)] }
}

export function merchantNumberFrom(text: string): MerchantNumber {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Complaint(`${text} is no merchant number: 1, 2, 3 and so on.`)
  return merchantNumber(Number(text))
}

function changesFrom(options: Options): Partial<MerchantSettings> {
  const zone = options.text('zone')
  const currency = options.text('currency')
  if (options.text('name') === '') throw new Complaint('--name is empty: a merchant record has a name.')
  if (zone !== undefined && !isTimeZone(zone))
    throw new Complaint(`${zone} is no time zone such as America/New_York.`)
  return dropUndefined({
    name: options.text('name'),
    location: options.text('location'),
    address: options.text('address'),
    terminalId: options.text('terminal'),
    timeZone: zone,
    currency: currency === undefined ? undefined : currencyFrom(currency),
    isInternational: options.flag('international'),
    takesAch: options.flag('ach'),
  })
}

function currencyFrom(text: string): Currency {
  const currency = currencyCode(text.toUpperCase())
  if (!currency) throw new Complaint(`${text} is no currency of ISO 4217.`)
  return currency
}

function merchantRow(merchant: Merchant): Row {
  return {
    number: merchant.merchantNumber,
    name: merchant.name,
    location: merchant.location,
    address: merchant.address,
    terminal: merchant.terminalId,
    zone: merchant.timeZone,
    currency: merchant.currency,
    international: merchant.isInternational,
    ach: merchant.takesAch,
  }
}
