import { accountByCode } from '#apps/cli/account.ts'
import type { Command } from '#apps/cli/command.ts'
import { listNewest } from '#apps/cli/list-newest.ts'
import { listDisputes } from '#capabilities/disputes/collect-disputes.operation.ts'
import { printMoment } from '#kernel/calendar.ts'
import { printWithCurrency } from '#kernel/money.ts'

export const disputeCommands: Readonly<Record<string, Command>> = {
  list: {
    usage: 'tillgate dispute list --account CODE [--last 20]',
    summary: "List what payers' banks have taken back, newest first",
    subject: null,
    texts: { account: 9, last: 5 },
    flags: [],
    run: async ({ context, options }) => {
      const { accountId } = await accountByCode({ context, code: options.needText('account') })
      return listNewest(options, {
        lastMax: 99_999,
        find: (most) => listDisputes(context, accountId, most),
        rowOf: (one) => ({
          transaction: String(one.paymentId),
          merchant: one.merchantNumber,
          amount: printWithCurrency(one.amount),
          reason: one.reasonCode,
          state: one.state,
          opened: printMoment(one.openedAt),
          closed: one.closedAt ? printMoment(one.closedAt) : '',
        }),
      })
    },
  },
}
