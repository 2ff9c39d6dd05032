import { Complaint } from '#apps/complaint.ts'
import { type Command, dropUndefined, type Invocation, type Options, type Report } from '#apps/cli/command.ts'
import type { Row } from '#apps/cli/print-table.ts'
import { openAccount } from '#capabilities/forms/open-account.operation.ts'
import { countOpenForms } from '#capabilities/forms/query-forms.operation.ts'
import { countOpenLinks } from '#capabilities/links/query-links.operation.ts'
import { countPlans } from '#capabilities/recurring/show-plan.operation.ts'
import { listLockouts } from '#capabilities/sessions/list-lockouts.operation.ts'
import { lockAccount } from '#capabilities/sessions/lock-account.operation.ts'
import type { Lockout } from '#capabilities/sessions/lockout.ts'
import { forecastBatches } from '#capabilities/settlement/show-batches.operation.ts'
import {
  type Account,
  accountDefaults,
  type AccountSettings,
  type AccountState,
} from '#engine/merchants/account.ts'
import { changeAccount } from '#engine/merchants/change-account.operation.ts'
import { findAccount, listAccounts } from '#engine/merchants/find-account.operation.ts'
import { countOpenAttemptsOf } from '#engine/payments/count-unresolved.operation.ts'
import { printMoment } from '#kernel/calendar.ts'
import { randomDigits } from '#platform/crypto/random.ts'

const texts = { description: 200 }
const flags = ['bind-address', 'partial-approvals', 'alternate-merchants', 'verify-cards']
const settingsUsage =
  '[--[no-]bind-address] [--[no-]partial-approvals] [--[no-]alternate-merchants] [--[no-]verify-cards]'

export const accountCommands: Readonly<Record<string, Command>> = {
  create: {
    usage: `tillgate account create --description TEXT [--code AB1234567] ${settingsUsage}`,
    summary: 'Make an account and its first integrator key, which is shown once',
    subject: null,
    texts: { ...texts, code: 9 },
    flags,
    makesInstallation: true,
    run: create,
  },
  set: {
    usage: `tillgate account set CODE [--description TEXT] ${settingsUsage}`,
    summary: 'Change the settings of an account',
    subject: 'account code',
    texts,
    flags,
    run: set,
  },
  list: {
    usage: 'tillgate account list',
    summary: 'List all accounts',
    subject: null,
    texts: {},
    flags: [],
    run: list,
  },
  lock: stateCommand('lock', 'locked', 'Lock an account out, end its sessions and collect nothing for it'),
  unlock: stateCommand('unlock', 'open', 'Let a locked account in again, and collect what fell due'),
  close: {
    usage: 'tillgate account close CODE [--yes]',
    summary: 'Close an account for good, end its sessions and collect nothing more for it',
    explanation: 'It says what stays open. Where something is not settled it refuses without --yes.',
    subject: 'account code',
    texts: {},
    flags: ['yes'],
    run: close,
  },
}

async function create({ context, options }: Invocation) {
  const settings = {
    ...accountDefaults,
    ...changesFrom(options),
    description: options.needText('description'),
  }
  const accountCode = options.text('code')?.toUpperCase() ?? `TG${randomDigits(7)}`
  const made = await openAccount(context, { accountCode, settings })
  if (!made.ok) {
    const isTaken = made.refusal.kind === 'account_code_taken'
    throw new Complaint(
      isTaken
        ? `The code ${accountCode} is taken.`
        : `${accountCode} is no account code: two letters and seven digits.`,
    )
  }
  const next = [
    `merchant add --account ${accountCode} --name ...`,
    `token issue --account ${accountCode} --alias ...`,
  ]
  const { account, firstKey } = made.value
  const shown = { integratorKeyIndex: firstKey.index, integratorKey: firstKey.key.reveal() }
  const note =
    'Keep the integrator key: it is shown once. EINDEX names it by its index.\n' +
    `Next: ${next.map((words) => `tillgate ${words}`).join('; ')}`
  return { rows: [{ ...accountRow(account), ...shown }], note }
}

async function list({ context }: Invocation) {
  const [accounts, lockouts] = await Promise.all([listAccounts(context), listLockouts(context)])
  const rows = accounts.map((account) => ({
    ...accountRow(account),
    signIns: signInsWord(account, lockouts.get(account.accountCode)),
  }))
  const note = 'Too many sign-ins failed; tillgate account unlock CODE lets them in again at once.'
  return lockouts.size > 0 ? { rows, note } : { rows }
}

function signInsWord(account: Account, lockout: Lockout | undefined): string {
  if (account.state !== 'open') return account.state
  if (!lockout) return 'open'
  if (lockout.isEverywhere) return 'locked out'
  return `locked out from ${lockout.networks} network${lockout.networks === 1 ? '' : 's'}`
}

async function set({ context, options, subject }: Invocation) {
  const changed = await changeAccount(context, {
    accountCode: subject.toUpperCase(),
    changes: changesFrom(options),
  })
  if (!changed.ok) throw noSuchAccount(subject)
  return { rows: [accountRow(changed.value)] }
}

function stateCommand(verb: string, state: AccountState, summary: string): Command {
  return {
    usage: `tillgate account ${verb} CODE`,
    summary,
    subject: 'account code',
    texts: {},
    flags: [],
    run: async ({ context, subject }) => {
      const account = await accountByCode({ context, code: subject })
      await changeState(context, { account, state })
      return { rows: [accountRow({ ...account, state })] }
    },
  }
}

async function changeState(
  context: Invocation['context'],
  change: { readonly account: Account; readonly state: AccountState },
): Promise<void> {
  const changed = await lockAccount(context, change)
  if (!changed.ok) throw new Complaint(`The account ${change.account.accountCode} is closed for good.`)
}

// For good, so whoever does it is told what nobody can end by a call of the account any more.
async function close({ context, options, subject }: Invocation): Promise<Report> {
  const account = await accountByCode({ context, code: subject })
  const { accountId, accountCode } = account
  const state = 'closed'
  const [records, attempts, plans, links, forms] = await Promise.all([
    forecastBatches(context, accountId),
    countOpenAttemptsOf(context, accountId),
    countPlans(context, accountId),
    countOpenLinks(context, accountId),
    countOpenForms(context, accountId),
  ])
  const unsettled = records.reduce(
    (sum, { count, unfinished }) => sum + count + (unfinished?.itemCount ?? 0),
    0,
  )
  const insists = account.state === state || options.flag('yes') === true
  if (attempts > 0 && !insists) {
    throw new Complaint(
      `The account ${accountCode} has transactions whose outcome is not known yet: ${attempts}. Let them ` +
        'come to an end first: an approval is settled, and nobody can void or credit it once the account ' +
        'is closed. tillgate attempt list shows them. --yes closes it all the same.',
    )
  }
  if (unsettled > 0 && !insists) {
    throw new Complaint(
      `The account ${accountCode} has transactions that are not settled: ${unsettled}. Settle them first, ` +
        'or void or credit what shall not be paid: nobody can once it is closed. --yes closes it all the same.',
    )
  }
  await changeState(context, { account, state })
  const open = { unsettled, plans: Number(plans), links: Number(links), forms: Number(forms) }
  const note = 'The last four columns count what was open. Nothing more is collected or paid by them.'
  return { rows: [{ ...accountRow({ ...account, state }), ...open }], note }
}

export async function accountByCode({
  context,
  code,
}: Pick<Invocation, 'context'> & { readonly code: string }): Promise<Account> {
  const found = await findAccount(context, code.toUpperCase())
  if (!found.ok) throw noSuchAccount(code)
  return found.value
}

function noSuchAccount(code: string): Complaint {
  return new Complaint(`There is no account ${code}. tillgate account list shows all.`)
}

function changesFrom(options: Options): Partial<AccountSettings> {
  const changes = {
    description: options.text('description'),
    bindsAddress: options.flag('bind-address'),
    allowsPartialApprovals: options.flag('partial-approvals'),
    allowsAlternateMerchants: options.flag('alternate-merchants'),
    verifiesCards: options.flag('verify-cards'),
  }
  return dropUndefined(changes)
}

function accountRow(account: Account): Row {
  return {
    code: account.accountCode,
    description: account.description,
    state: account.state,
    bindsAddress: account.bindsAddress,
    partialApprovals: account.allowsPartialApprovals,
    alternateMerchants: account.allowsAlternateMerchants,
    verifiesCards: account.verifiesCards,
    created: printMoment(account.createdAt),
  }
}
