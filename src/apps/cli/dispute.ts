import { accountByCode } from '#apps/cli/account.ts'
import type { Command } from '#apps/cli/command.ts'
import { listDisputes } from '#capabilities/disputes/collect-disputes.operation.ts'
import { printMoment } from '#kernel/calendar.ts'
import { printWithCurrency } from '#kernel/money.ts'

const shownMax = 1_000

export const disputeCommands: Readonly<Record<string, Command>> = {
  list: {
    usage: 'tillgate dispute list --account CODE',
    summary: "List what payers' banks have taken back, newest first",
    subject: null,
    texts: { account: 9 },
    flags: [],
    run: async ({ context, options }) => {
      const { accountId } = await accountByCode({ context, code: options.needText('account') })
      const disputes = await listDisputes(context, accountId, shownMax)
      const rows = disputes.map((one) => ({
        transaction: String(one.paymentId),
        merchant: one.merchantNumber,
        amount: printWithCurrency(one.amount),
        reason: one.reasonCode,
        state: one.state,
        opened: printMoment(one.openedAt),
        closed: one.closedAt ? printMoment(one.closedAt) : '',
      }))
      return { rows }
    },
  },
}
