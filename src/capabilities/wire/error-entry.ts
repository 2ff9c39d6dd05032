import type { Details } from '#kernel/result.ts'

export type ErrorEntry = {
  readonly code: number
  readonly severity: 'LOW' | 'MEDIUM' | 'HIGH'
  readonly text: string
  readonly cause: string
  readonly remedy: string
  // What fills the blanks in the sample of the docs.
  readonly sample?: Details
}
