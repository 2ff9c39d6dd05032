import { hash } from 'node:crypto'
import type { Expression } from '#capabilities/search/expression.ts'
import type { Position } from '#capabilities/search/position.ts'
import { printExpression } from '#capabilities/search/print-expression.ts'
import type { AccountId } from '#kernel/ids.ts'

// The one search that a cursor belongs to.
export type CursorOwner = {
  readonly account: AccountId
  readonly subject: string
  readonly expression: Expression
}

const positionBytes = 16
const digestBytes = 14
const form = /^[\w-]{40}$/

// A position and a digest of whose it is. The digest finds mistakes and is not a secret: every search is
// restricted to the account of its caller, whatever the cursor says.
export function printCursor(position: Position, owner: CursorOwner): string {
  const [first, second] = position
  const bytes = Buffer.alloc(positionBytes)
  bytes.writeBigInt64BE(second, bytes.writeBigInt64BE(first))
  return Buffer.concat([bytes, digestOf(bytes, owner)]).toString('base64url')
}

// null when it was changed, or belongs to another search.
export function readCursor(cursor: string, owner: CursorOwner): Position | null {
  if (!form.test(cursor)) return null
  const bytes = Buffer.from(cursor, 'base64url')
  const position = bytes.subarray(0, positionBytes)
  if (!bytes.subarray(positionBytes).equals(digestOf(position, owner))) return null
  return [position.readBigInt64BE(0), position.readBigInt64BE(8)]
}

function digestOf(position: Buffer, { account, subject, expression }: CursorOwner): Buffer {
  const text = [position.toString('hex'), account, subject, printExpression(expression)].join('\n')
  return hash('sha256', text, 'buffer').subarray(0, digestBytes)
}
