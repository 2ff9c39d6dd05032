import type { DecodedMessage, Pdu } from 'smpp'

// What a short message centre tells us: a receipt for something we sent, or a text from a phone.
export type Heard =
  | {
      readonly kind: 'receipt'
      readonly receipt: {
        readonly ref: string
        readonly state: 'delivered' | 'failed'
        readonly problem: string
      }
    }
  | { readonly kind: 'text'; readonly text: { readonly phone: string; readonly text: string } }
  // Neither, such as word that something is still under way.
  | { readonly kind: 'nothing' }

const messageTypeBits = 0x3c
const isReceiptType = 0x04
const international = 1

// Of SMPP 3.4, section 5.2.28 and appendix B.
const wordsByState: Readonly<Record<number, string>> = {
  2: 'DELIVRD',
  3: 'EXPIRED',
  4: 'DELETED',
  5: 'UNDELIV',
  8: 'REJECTD',
}
const lostWords = new Set(['EXPIRED', 'DELETED', 'UNDELIV', 'REJECTD'])

const refLengthMax = 200

// What a centre calls a text, in its answer and in its receipts. It has 64 characters at the most: a longer
// one is odd, but no reason to lose the text.
export function refOf(told: string | undefined): string {
  return (told ?? '').replaceAll('\0', '').slice(0, refLengthMax)
}

export function readDeliverSm(pdu: Pdu): Heard {
  const type = (pdu.esm_class ?? 0) & messageTypeBits
  const text = textOf(pdu.short_message) || textOf(pdu.message_payload)
  if (type === isReceiptType) return receiptIn(pdu, text)
  if (type !== 0) return { kind: 'nothing' }
  const number = pdu.source_addr ?? ''
  const isBare = pdu.source_addr_ton === international && !number.startsWith('+')
  return { kind: 'text', text: { phone: isBare ? `+${number}` : number, text } }
}

// By its parameters where there are any, otherwise by the text that everybody writes.
function receiptIn(pdu: Pdu, text: string): Heard {
  const ref = refOf(pdu.receipted_message_id ?? /\bid: ?(\S+)/i.exec(text)?.[1])
  const word = wordsByState[pdu.message_state ?? 0] ?? /\bstat:(\w+)/i.exec(text)?.[1]?.toUpperCase() ?? ''
  if (ref === '') return { kind: 'nothing' }
  if (word === 'DELIVRD') return { kind: 'receipt', receipt: { ref, state: 'delivered', problem: '' } }
  if (!lostWords.has(word)) return { kind: 'nothing' }
  const code = /\berr:(\w+)/i.exec(text)?.[1]
  const problem = `Not delivered: ${word}${code === undefined ? '' : `, error ${code}`}`
  return { kind: 'receipt', receipt: { ref, state: 'failed', problem } }
}

// What comes as mere octets is STOP or a receipt all the same.
function textOf(decoded: DecodedMessage | undefined): string {
  return decoded?.message?.toString('latin1') ?? ''
}
