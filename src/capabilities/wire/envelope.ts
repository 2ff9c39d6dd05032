import { type ErrorName, errorCodes } from '#capabilities/wire/error-codes.ts'
import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'
import type { Refusal } from '#kernel/result.ts'

export type Envelope = {
  readonly FunctionOk: boolean
  readonly ErrCode: number
  readonly ErrMsg: string
  readonly RespMsg: string
}

export function doneEnvelope(message: string): Envelope {
  return { FunctionOk: true, ErrCode: 0, ErrMsg: '', RespMsg: message }
}

// A refusal as a sentence for people.
export function refusalText({ kind, details }: Refusal<ErrorName>): string {
  return errorCodes[kind].text.replace(/\{(\w+)\}/g, (_, name: string) => String(details[name] ?? ''))
}

export function refusedEnvelope(refusal: Refusal<ErrorName>): Envelope {
  const { code, severity, isAnswer = false }: ErrorEntry = errorCodes[refusal.kind]
  const message = refusalText(refusal)
  return {
    FunctionOk: isAnswer,
    ErrCode: code,
    ErrMsg: `ERROR:${code}:${severity}:${message}`,
    RespMsg: message,
  }
}

// The error text as the docs show it, with its blanks filled.
export function sampleErrorText(kind: ErrorName): string {
  const entry: ErrorEntry = errorCodes[kind]
  return refusedEnvelope({ kind, details: entry.sample ?? {} }).ErrMsg
}
