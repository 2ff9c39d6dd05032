import { Complaint } from '#apps/complaint.ts'
import { accountByCode } from '#apps/cli/account.ts'
import type { Command, Invocation, Report } from '#apps/cli/command.ts'
import type { Row } from '#apps/cli/print-table.ts'
import { linkQr } from '#capabilities/links/link-qr.page.ts'
import { type FoundLink, queryLinks } from '#capabilities/links/query-links.operation.ts'
import { resendLink } from '#capabilities/links/resend-link.operation.ts'
import { withdrawLink } from '#capabilities/links/withdraw-link.operation.ts'
import { refusalText } from '#capabilities/wire/envelope.ts'
import type { ErrorName } from '#capabilities/wire/error-codes.ts'
import { countSentence } from '#capabilities/wire/newest.wire.ts'
import { printMoment } from '#kernel/calendar.ts'
import { printWithCurrency } from '#kernel/money.ts'
import type { Newest } from '#kernel/newest.ts'
import type { Result } from '#kernel/result.ts'

export const linkCommands: Readonly<Record<string, Command>> = {
  list: {
    usage: 'tillgate link list --account CODE [--find REFERENCE]',
    summary: 'List payment links, newest first: all, or those of a reference or a recipient',
    subject: null,
    texts: { account: 9, find: 150 },
    flags: [],
    run: async (invocation) => {
      const reference = invocation.options.text('find') ?? ''
      const newest = await find(invocation, { link: null, reference })
      const rows = newest.found.map(rowOf)
      return newest.isCut ? { rows, unshown: `${countSentence(newest, 'link')}.` } : { rows }
    },
  },
  show: {
    usage: 'tillgate link show ID --account CODE [--qr]',
    summary: 'Show a payment link with its address, or its QR code as SVG',
    subject: 'link',
    texts: { account: 9 },
    flags: ['qr'],
    run: show,
  },
  withdraw: {
    usage: 'tillgate link withdraw ID --account CODE',
    summary: 'End a payment link that nobody shall pay any more',
    subject: 'link',
    texts: { account: 9 },
    flags: [],
    run: async (invocation) => change(invocation, await ownerOf(invocation), withdrawLink),
  },
  resend: {
    usage: 'tillgate link resend ID --account CODE',
    summary: 'Send a payment link again, to the same recipient',
    subject: 'link',
    texts: { account: 9 },
    flags: [],
    run: async (invocation) => {
      refuseWithoutAddress(invocation)
      return change(invocation, await ownerOf(invocation), (needs, owner, { link }) =>
        resendLink(needs, owner, { link, bodyName: 'Its body' }),
      )
    },
  },
}

type Sought = { readonly link: bigint | null; readonly reference: string }

async function ownerOf({ context, options }: Invocation) {
  const { accountId } = await accountByCode({ context, code: options.needText('account') })
  return { accountId, merchantNumber: null, callerKey: null }
}

async function find(invocation: Invocation, sought: Sought): Promise<Newest<FoundLink>> {
  const owner = await ownerOf(invocation)
  return (await queryLinks(invocation.context, owner, { ...sought, code: null })).value
}

function linkFrom(subject: string): bigint {
  if (!/^[1-9]\d{0,14}$/.test(subject)) throw new Complaint(`${subject} is no number of a link.`)
  return BigInt(subject)
}

// A payer could do nothing with the rest of a link.
function refuseWithoutAddress({ context }: Invocation): void {
  if (context.publicAddress.url !== '') return
  throw new Complaint('Nobody knows under which address the gateway is reached. Set BASE_URL.')
}

const moment = (at: Temporal.Instant | null): string => (at ? printMoment(at) : '')

async function show(invocation: Invocation): Promise<Report> {
  const { subject, options } = invocation
  if (options.flag('qr')) refuseWithoutAddress(invocation)
  const [found] = (await find(invocation, { link: linkFrom(subject), reference: '' })).found
  if (!found) throw new Complaint(`There is no link ${subject}.`)
  if (options.flag('qr')) return { rows: [], plain: `${linkQr(found.url)}\n` }
  const { link, url, message } = found
  return {
    rows: [
      {
        ...rowOf(found),
        transaction: String(link.transactionId ?? ''),
        message: message?.state ?? '',
        problem: message?.problem ?? '',
        opened: moment(link.openedAt),
        paid: moment(link.paidAt),
        address: url,
      },
    ],
  }
}

type Owner = Awaited<ReturnType<typeof ownerOf>>
type Change = (
  needs: Invocation['context'],
  owner: Owner,
  wish: { readonly link: bigint },
) => Promise<Result<FoundLink, ErrorName>>

async function change({ context, subject }: Invocation, owner: Owner, run: Change): Promise<Report> {
  const changed = await run(context, owner, { link: linkFrom(subject) })
  if (!changed.ok) throw new Complaint(`${refusalText(changed.refusal)}.`)
  return { rows: [rowOf(changed.value)] }
}

function rowOf({ link, standing }: FoundLink): Row {
  return {
    link: String(link.linkId),
    merchant: link.merchantNumber,
    state: standing,
    amount: link.amount ? printWithCurrency(link.amount) : '',
    reference: link.clientRef,
    recipient: link.recipient,
    uses: link.isSingleUse ? 'one' : 'many',
    payments: link.payments,
    created: printMoment(link.createdAt),
    expires: printMoment(link.expiresAt),
  }
}
