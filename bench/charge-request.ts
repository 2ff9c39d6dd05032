import type { ChargeOrder } from './charge-order.ts'

// The bytes of one charge, written once for a connection; a new charge only overwrites the fields that
// differ. Blanks before a number are allowed in JSON, so every field keeps its place.

export type Charge = {
  readonly consent: number
  readonly baseMinor: number
  readonly sessionKey: string
  readonly key: string
}

const widths = { consent: 10, amount: 8, key: 32, session: 64 } as const
const hole = (width: number): string => '_'.repeat(width)

export class ChargeRequest {
  readonly bytes: Buffer
  readonly #places: { readonly [Name in keyof Charge | 'total']: number }
  readonly #feeMinor: number

  constructor({ path, feeMinor }: Pick<ChargeOrder, 'path' | 'feeMinor'>) {
    const fee = (feeMinor / 100).toFixed(2)
    const consent = `{"ConsentID":`
    const base = `${consent}${hole(widths.consent)},"Amounts":{"BaseAmt":`
    const total = `${base}${hole(widths.amount)},"Surcharge":${fee},"TotalAmt":`
    const details = `"purchDetails":{"ServiceDescrip":"Order 1001","ClientRefID":"1001"},"User":"Ann"`
    const body = `${total}${hole(widths.amount)}},${details}}`
    const session = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nSessKey: `
    const key = `${session}${hole(widths.session)}\r\nIdempotency-Key: `
    const head =
      `${key}${hole(widths.key)}\r\nContent-Type: application/json\r\nAccept: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n`
    this.bytes = Buffer.from(`${head}${body}`, 'latin1')
    this.#feeMinor = feeMinor
    this.#places = {
      sessionKey: session.length,
      key: key.length,
      consent: head.length + consent.length,
      baseMinor: head.length + base.length,
      total: head.length + total.length,
    }
  }

  write({ consent, baseMinor, sessionKey, key }: Charge): Buffer {
    const { bytes } = this
    const places = this.#places
    bytes.write(sessionKey, places.sessionKey, 'latin1')
    bytes.write(key.padEnd(widths.key, '0'), places.key, 'latin1')
    bytes.write(String(consent).padStart(widths.consent), places.consent, 'latin1')
    bytes.write(amountText(baseMinor), places.baseMinor, 'latin1')
    bytes.write(amountText(baseMinor + this.#feeMinor), places.total, 'latin1')
    return bytes
  }
}

function amountText(minor: number): string {
  return (minor / 100).toFixed(2).padStart(widths.amount)
}
