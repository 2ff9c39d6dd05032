// As little of HTTP as telling one answer from the next needs, and enough of its body to judge it.

export type Answer = {
  readonly isApproved: boolean
  readonly isDone: boolean
  readonly status: number
  readonly body: Buffer
}

const headEnd = Buffer.from('\r\n\r\n')
// As the gateway and Node.js write it.
const lengthMarks = [Buffer.from('\r\ncontent-length: '), Buffer.from('\r\nContent-Length: ')]
const digitZero = 48
const approvedMark = Buffer.from('"TxApproved":true')
const doneMark = Buffer.from('"FunctionOk":true')

export class AnswerReader {
  #pending: Buffer | null = null

  // The whole answer, or null until its last byte is there. A connection has one request under way, so there
  // is never a second one behind it. Good until more is read: the chunk is not kept, but what has no end yet.
  read(chunk: Buffer): Answer | null {
    const bytes = this.#pending ? Buffer.concat([this.#pending, chunk]) : chunk
    const end = bytes.indexOf(headEnd)
    if (end < 0 || bytes.length < end + headEnd.length + lengthOfBody(bytes)) {
      this.#pending = Buffer.from(bytes)
      return null
    }
    this.#pending = null
    const body = bytes.subarray(end + headEnd.length)
    return {
      status: numberAt(bytes, statusAt),
      isApproved: body.includes(approvedMark),
      isDone: body.includes(doneMark),
      body,
    }
  }
}

// Behind the version of HTTP, which has eight letters, and a blank.
const statusAt = 9

function lengthOfBody(head: Buffer): number {
  for (const mark of lengthMarks) {
    const at = head.indexOf(mark)
    if (at >= 0) return numberAt(head, at + mark.length)
  }
  return 0
}

function numberAt(bytes: Buffer, from: number): number {
  let number = 0
  for (let at = from; isDigit(bytes[at]); at += 1) number = 10 * number + (bytes[at] ?? 0) - digitZero
  return number
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= digitZero && byte < digitZero + 10
}

export function transactionOf({ body }: Answer): string {
  return /"TxID":(\d+)/.exec(body.toString('latin1'))?.[1] ?? ''
}

export function errorCodeOf({ body }: Answer): number {
  return Number(/"ErrCode":(\d+)/.exec(body.toString('latin1'))?.[1])
}
