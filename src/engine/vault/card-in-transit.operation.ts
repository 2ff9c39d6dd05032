import type { EngineContext } from '#engine/context.ts'
import type { CardInTransit } from '#engine/vault/vault.ts'
import { cardExpiry } from '#kernel/card-expiry.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { Secret } from '#kernel/secret.ts'
import { openRecord, sealRecord, type Seal } from '#platform/crypto/sealed-record.ts'

type Needs = Pick<EngineContext, 'keyRing'>

const keyVersion = 1

// Every purpose has a key of its own, so that what is sealed for one order opens for no other.
function sealFor({ keyRing }: Needs, purpose: string): Seal {
  const key = keyRing.keyedDigest('card-in-transit', purpose)
  return { key, keyVersion, belonging: ['card-in-transit', purpose] }
}

export function sealInTransit(needs: Needs, card: CardInTransit, purpose: string): string {
  const { number, expiry, securityCode } = card
  const { month, year } = expiry
  const written = [number.reveal(), month, year, securityCode?.reveal() ?? ''].join(' ')
  const plaintext = Buffer.from(written)
  try {
    return sealRecord(sealFor(needs, purpose), plaintext).toString('base64url')
  } finally {
    plaintext.fill(0)
  }
}

export function openInTransit(needs: Needs, sealed: string, purpose: string): CardInTransit | null {
  const plaintext = openRecord(sealFor(needs, purpose), Buffer.from(sealed, 'base64url'))
  if (!plaintext) return null
  try {
    const [digits = '', month = '', year = '', code = ''] = plaintext.toString().split(' ')
    const number = CardNumber.parse(digits)
    const expiry = cardExpiry(Number(month), Number(year))
    return number && expiry ? { number, expiry, securityCode: code === '' ? null : new Secret(code) } : null
  } finally {
    plaintext.fill(0)
  }
}
