// As little of HTTP as telling one answer from the next needs, and enough of its body to judge it.

export type Answer = {
  readonly isApproved: boolean
  readonly isDone: boolean
  readonly status: number
  readonly body: Buffer
}

const headEnd = Buffer.from('\r\n\r\n')
const approvedMark = Buffer.from('"TxApproved":true')
const doneMark = Buffer.from('"FunctionOk":true')

export class AnswerReader {
  #pending: Buffer | null = null

  // The whole answer, or null until its last byte is there. A connection has one request under way, so there
  // is never a second one behind it. Good until more is read: the chunk is not kept, but what has no end yet.
  read(chunk: Buffer): Answer | null {
    const bytes = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk
    const end = bytes.indexOf(headEnd)
    const head = end < 0 ? '' : bytes.toString('latin1', 0, end).toLowerCase()
    const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1])
    if (end < 0 || bytes.length < end + headEnd.length + length) {
      this.#pending = Buffer.from(bytes)
      return null
    }
    this.#pending = null
    const body = bytes.subarray(end + headEnd.length)
    return {
      status: Number(head.slice(9, 12)),
      isApproved: body.includes(approvedMark),
      isDone: body.includes(doneMark),
      body,
    }
  }
}

export function transactionOf({ body }: Answer): string {
  return /"TxID":(\d+)/.exec(body.toString('latin1'))?.[1] ?? ''
}

export function errorCodeOf({ body }: Answer): number {
  return Number(/"ErrCode":(\d+)/.exec(body.toString('latin1'))?.[1])
}
