import type { Unknown } from '#engine/acquirers/acquirer-answer.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import type { Log } from '#platform/log.ts'

type Asked = { readonly attemptId: bigint } | { readonly batchId: bigint }

// Whatever a connector throws is unknown, never an outcome.
export function failedConnector(log: Log, asked: Asked, error: unknown): Unknown {
  if (error instanceof Crash) throw error
  const about =
    'attemptId' in asked ? { attemptId: String(asked.attemptId) } : { batchId: String(asked.batchId) }
  log.error({ err: error, ...about }, 'A connector failed; the outcome is unknown')
  return { kind: 'unknown', because: 'link_down' }
}
