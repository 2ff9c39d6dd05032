import type { Command, Invocation } from '#apps/cli/command.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { printMoney } from '#kernel/money.ts'

export const ledgerCommands: Readonly<Record<string, Command>> = {
  verify: {
    usage: 'tillgate ledger verify',
    summary: 'Compare the books with the payments, in every currency',
    subject: null,
    texts: {},
    flags: [],
    run: verify,
  },
}

async function verify({ context }: Invocation) {
  const { isSound, lines } = await verifyLedger(context.db)
  const rows = lines.map(({ currency, posted, expected, orphans }) => ({
    currency,
    posted: printMoney({ minor: posted, currency }),
    approved: printMoney({ minor: expected, currency }),
    strayPostings: String(orphans),
    verdict: posted === expected && orphans === 0n ? 'ok' : 'WRONG',
  }))
  return isSound
    ? { rows, note: 'The books agree with the payments.' }
    : { rows, complaint: 'The books do not agree with the payments.' }
}
