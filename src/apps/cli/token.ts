import { Complaint } from '#apps/complaint.ts'
import { accountByCode } from '#apps/cli/account.ts'
import type { Command, Invocation } from '#apps/cli/command.ts'
import { merchantNumberFrom } from '#apps/cli/merchant.ts'
import { operatorName } from '#apps/cli/operator.ts'
import { listIntegratorKeys } from '#capabilities/forms/integrator-keys.operation.ts'
import { issueToken } from '#capabilities/sessions/issue-token.operation.ts'
import { listTokens, revokeToken } from '#capabilities/sessions/revoke-token.operation.ts'
import type { Account } from '#engine/merchants/account.ts'
import { printMoment } from '#kernel/calendar.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import { tokenId } from '#kernel/ids.ts'

export const tokenCommands: Readonly<Record<string, Command>> = {
  issue: {
    usage: 'tillgate token issue --account CODE --alias NAME [--merchant NUMBER] [--description TEXT]',
    summary: 'Issue a token to an API user; it is shown once',
    subject: null,
    texts: { account: 9, alias: 75, merchant: 9, description: 200 },
    flags: [],
    run: issue,
  },
  revoke: {
    usage: 'tillgate token revoke TOKEN_ID',
    summary: 'Revoke a token and end its sessions',
    subject: 'token id',
    texts: {},
    flags: [],
    run: revoke,
  },
  list: {
    usage: 'tillgate token list --account CODE',
    summary: 'List the tokens of an account',
    subject: null,
    texts: { account: 9 },
    flags: [],
    run: list,
  },
}

const refusals = {
  account_closed: 'The account is closed.',
  two_tokens_valid: 'This API user has two valid tokens already. Revoke one first, or choose another alias.',
  user_works_elsewhere: 'This API user was made for another merchant record. Choose another alias.',
  token_exists: 'That token exists already.',
} as const

async function issue({ context, options }: Invocation) {
  const account = await accountByCode({ context, code: options.needText('account') })
  const chosen = options.text('merchant')
  const merchant = chosen === undefined ? null : merchantNumberFrom(chosen)
  const merchants = await listMerchants(context, account.accountId)
  if (merchant !== null && !merchantNumbered(merchants, merchant)) {
    throw new Complaint(`The account ${account.accountCode} has no merchant record ${merchant}.`)
  }
  const issued = await issueToken(context, {
    account,
    alias: options.needText('alias'),
    merchant,
    description: options.text('description') ?? '',
    issuer: operatorName(),
  })
  if (!issued.ok) throw new Complaint(refusals[issued.refusal.kind])
  const { tokenId: id, token, expiresAt } = issued.value
  return {
    rows: [
      {
        id: Number(id),
        account: account.accountCode,
        token: token.reveal(),
        expires: printMoment(expiresAt),
      },
    ],
    note: `The token is shown this once and stored nowhere. Keep it safe.${await keysNote(context, account)}`,
  }
}

// Part of the credentials of an account; the keys themselves were shown when they were made.
async function keysNote(context: Invocation['context'], { accountId }: Account): Promise<string> {
  const keys = await listIntegratorKeys(context, accountId)
  const indexes = keys.filter(({ isEnabled }) => isEnabled).map(({ index }) => index)
  return indexes.length > 0 ? `\nIntegrator keys of the account (EINDEX): ${indexes.join(', ')}` : ''
}

async function revoke({ context, subject }: Invocation) {
  if (!/^[1-9]\d{0,14}$/.test(subject))
    throw new Complaint(`${subject} is no token id. tillgate token list shows them.`)
  const revoked = await revokeToken(context, tokenId(BigInt(subject)))
  if (!revoked.ok) throw new Complaint(`There is no token ${subject}.`)
  return { rows: [{ id: Number(subject), state: 'revoked' }] }
}

async function list({ context, options }: Invocation) {
  const account = await accountByCode({ context, code: options.needText('account') })
  const now = context.clock.now()
  const rows = (await listTokens(context, account.accountId)).map((token) => ({
    id: Number(token.tokenId),
    alias: token.alias,
    merchant: token.merchantNumber ?? 'all',
    description: token.tokenDescription,
    issuedBy: token.createdBy,
    issued: printMoment(token.createdAt),
    expires: printMoment(token.expiresAt),
    state: stateOf(token.revokedAt, token.expiresAt, now),
  }))
  return { rows }
}

function stateOf(
  revokedAt: Temporal.Instant | null,
  expiresAt: Temporal.Instant,
  now: Temporal.Instant,
): string {
  if (revokedAt) return 'revoked'
  return Temporal.Instant.compare(expiresAt, now) <= 0 ? 'expired' : 'valid'
}
