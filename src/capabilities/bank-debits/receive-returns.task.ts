import {
  accountsWithReturns,
  type Needs,
  nextReturns,
  type ReceivedReturns,
  receiveReturns,
} from '#capabilities/bank-debits/receive-returns.operation.ts'
import type { DiaryEntry, DueWork } from '#engine/account-clock/due-work.ts'

// What the simulated bank sends back, two banking days after a file.
export const bankReturnsWork: DueWork<Needs> = {
  name: 'bank-debits.returns',
  accountsDue: accountsWithReturns,
  nextDue: nextReturns,
  runDue: async (needs, due) => {
    for await (const received of receiveReturns(needs, due)) await due.tell(entriesOf(received))
  },
}

function entriesOf({ dueAt: at, applied }: ReceivedReturns): readonly DiaryEntry[] {
  return [
    ...applied.returned.map((item) => ({
      at,
      what: 'ach.returned',
      subject: item.attemptId,
      text: `Bank debit ${item.attemptId} was returned`,
    })),
    ...applied.heldBack.map((item) => ({
      at,
      what: 'payment.voided',
      subject: item.attemptId,
      text: `Credit ${item.attemptId} is not sent, because its debit was returned`,
    })),
    ...applied.corrected.map((item) => ({
      at,
      what: 'ach.corrected',
      subject: item.attemptId,
      text: `The bank told the right account of bank debit ${item.attemptId}`,
    })),
  ]
}
