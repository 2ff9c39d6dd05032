import { type RecordQuery, recordsMax } from '#capabilities/search/found-records.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { accountId, apiUserId, tokenId } from '#kernel/ids.ts'
import { text } from '#platform/postgres/column-type.ts'
import type { Database, Queryable } from '#platform/postgres/database.ts'

// Somebody of an account whose records were made past the gateway, and who sees all of them.
export function searcherOf(account: bigint, at: Temporal.Instant): Caller {
  return {
    accountId: accountId(account),
    userId: apiUserId(1n),
    tokenId: tokenId(1n),
    merchantNumber: null,
    allowsPartialApprovals: false,
    allowsAlternateMerchants: false,
    verifiesCards: true,
    timeZone: 'UTC',
    sessionDigest: Buffer.alloc(32),
    expiresAt: at,
    callerKey: null,
    address: '192.0.2.10',
  }
}

type Plans = { readonly db: Database; readonly plans: string[] }

// The same database, which tells in the end how it would have looked for what it was asked.
export function tellingPlans(db: Database): Plans {
  const plans: string[] = []
  const telling = (on: Queryable): Queryable => ({
    run: async (statement, values) => {
      if (statement.name !== '') return on.run(statement, values)
      const explained = { ...statement, columns: { 'QUERY PLAN': text }, text: `explain ${statement.text}` }
      const rows = await on.run(explained, values)
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
      return []
    },
  })
  const inTransaction: Database['inTransaction'] = (work) =>
    db.inTransaction((tx) => work({ ...tx, ...telling(tx) }))
  return { db: { ...db, inTransaction }, plans }
}

// The first 10,000 records that an expression finds.
export function firstPage(query: string): RecordQuery {
  return { query, pageSize: recordsMax, cursor: '' }
}
