import { Complaint } from '#apps/complaint.ts'
import { accountByCode } from '#apps/cli/account.ts'
import type { Command, Invocation, Report } from '#apps/cli/command.ts'
import {
  addIntegratorKey,
  disableIntegratorKey,
  listIntegratorKeys,
} from '#capabilities/forms/integrator-keys.operation.ts'
import { printMoment } from '#kernel/calendar.ts'

export const integratorKeyCommands: Readonly<Record<string, Command>> = {
  add: {
    usage: 'tillgate integrator-key add INDEX --account CODE',
    summary: 'Make a key that values of forms are encrypted with; EINDEX names it',
    subject: 'index',
    texts: { account: 9 },
    flags: [],
    run: add,
  },
  list: {
    usage: 'tillgate integrator-key list --account CODE',
    summary: 'List the integrator keys of an account',
    subject: null,
    texts: { account: 9 },
    flags: [],
    run: async ({ context, options }) => {
      const { accountId } = await accountByCode({ context, code: options.needText('account') })
      const keys = await listIntegratorKeys(context, accountId)
      return {
        rows: keys.map(({ index, isEnabled, createdAt }) => ({
          index,
          enabled: isEnabled,
          created: printMoment(createdAt),
        })),
      }
    },
  },
  disable: {
    usage: 'tillgate integrator-key disable INDEX --account CODE',
    summary: 'Disable an integrator key: no new form may name it, those ordered with it still use it',
    subject: 'index',
    texts: { account: 9 },
    flags: [],
    run: disable,
  },
}

async function add({ context, options, subject }: Invocation): Promise<Report> {
  const { accountId } = await accountByCode({ context, code: options.needText('account') })
  if (!/^[\w.-]{1,40}$/.test(subject))
    throw new Complaint(`${subject} is no index: up to 40 letters, digits, dots and dashes.`)
  const key = await addIntegratorKey(context, accountId, subject)
  if (!key) throw new Complaint(`The account has a key ${subject} already. Choose another index.`)
  const note =
    'Keep the key: it is shown once. EINDEX names it by its index. docs/hosted-form.md shows how to decrypt.'
  return { rows: [{ index: subject, key: key.reveal() }], note }
}

async function disable({ context, options, subject }: Invocation): Promise<Report> {
  const { accountId } = await accountByCode({ context, code: options.needText('account') })
  if (!(await disableIntegratorKey(context, accountId, subject)))
    throw new Complaint(`The account has no key ${subject} that could be disabled.`)
  return { rows: [{ index: subject, enabled: false }] }
}
