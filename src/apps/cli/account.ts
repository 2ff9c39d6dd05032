import { Complaint } from '#apps/complaint.ts'
import { type Command, dropUndefined, type Invocation, type Options } from '#apps/cli/command.ts'
import type { Row } from '#apps/cli/print-table.ts'
import { listLockouts } from '#capabilities/sessions/list-lockouts.operation.ts'
import { lockAccount } from '#capabilities/sessions/lock-account.operation.ts'
import type { Lockout } from '#capabilities/sessions/lockout.ts'
import {
  type Account,
  accountDefaults,
  type AccountSettings,
  type AccountState,
} from '#engine/merchants/account.ts'
import { changeAccount } from '#engine/merchants/change-account.operation.ts'
import { createAccount } from '#engine/merchants/create-account.operation.ts'
import { findAccount, listAccounts } from '#engine/merchants/find-account.operation.ts'
import { printMoment } from '#kernel/calendar.ts'
import { randomDigits } from '#platform/crypto/random.ts'

const texts = { description: 200 }
const flags = ['bind-address', 'partial-approvals', 'alternate-merchants', 'verify-cards']
const settingsUsage =
  '[--[no-]bind-address] [--[no-]partial-approvals] [--[no-]alternate-merchants] [--[no-]verify-cards]'

export const accountCommands: Readonly<Record<string, Command>> = {
  create: {
    usage: `tillgate account create --description TEXT [--code AB1234567] ${settingsUsage}`,
    summary: 'Make an account',
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
  close: stateCommand(
    'close',
    'closed',
    'Close an account for good, end its sessions and collect nothing more for it',
  ),
}

async function create({ context, options }: Invocation) {
  const settings = {
    ...accountDefaults,
    ...changesFrom(options),
    description: options.needText('description'),
  }
  const accountCode = options.text('code')?.toUpperCase() ?? `TG${randomDigits(7)}`
  const made = await createAccount(context, { accountCode, settings })
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
  const note = `Next: ${next.map((words) => `tillgate ${words}`).join('; ')}`
  return { rows: [accountRow(made.value)], note }
}

async function list({ context }: Invocation) {
  const [accounts, lockouts] = await Promise.all([listAccounts(context), listLockouts(context)])
  const rows = accounts.map((account) => ({
    ...accountRow(account),
    signIns: signInsWord(lockouts.get(account.accountCode)),
  }))
  const note = 'Too many sign-ins failed; tillgate account unlock CODE lets them in again at once.'
  return lockouts.size > 0 ? { rows, note } : { rows }
}

function signInsWord(lockout: Lockout | undefined): string {
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
      const changed = await lockAccount(context, { account, state })
      if (!changed.ok) throw new Complaint(`The account ${subject} is closed for good.`)
      return { rows: [accountRow({ ...account, state })] }
    },
  }
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
