import type { Details } from '#kernel/result.ts'

export type ErrorEntry = {
  readonly code: number
  readonly severity: 'LOW' | 'MEDIUM' | 'HIGH'
  readonly text: string
  // The operation did its work and this is its answer, so FunctionOk is true.
  readonly isAnswer?: boolean
  readonly cause: string
  readonly remedy: string
  // What fills the blanks in the sample of the docs.
  readonly sample?: Details
}
