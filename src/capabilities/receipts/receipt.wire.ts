import { Type } from 'typebox'
import type { ReceiptCopy } from '#capabilities/receipts/receipt.ts'

// What all receipts share on the wire.
export const Recipient = Type.Integer({
  minimum: 1,
  maximum: 3,
  description: '1 merchant, 2 customer, 3 both.',
})

const recipients: Readonly<Record<number, readonly ReceiptCopy[]>> = {
  1: ['merchant'],
  2: ['customer'],
  3: ['merchant', 'customer'],
}

export function copiesFor(recipient: number): readonly ReceiptCopy[] {
  return recipients[recipient] ?? []
}

export function receiptToWire(page: string) {
  return {
    message: 'Successfully Returned Transaction Receipt Markup',
    members: { ReceiptHtml: page },
  }
}
