import { alphabet, codeLength, linkPath } from '#capabilities/links/link-code.ts'
import type { Link } from '#capabilities/links/link.ts'
import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import type { EngineContext } from '#engine/context.ts'
import { Secret } from '#kernel/secret.ts'

type Needs = Pick<EngineContext, 'keyRing'>

const bitsEach = 5

// 80 bits that follow from the id, so that the same link can be sent again although its code is stored
// nowhere.
export function codeOf({ keyRing }: Needs, { linkId }: { readonly linkId: bigint }): Secret {
  const digest = keyRing.keyedDigest('link-code', `made\n${linkId}`)
  const bits = BigInt(`0x${digest.toString('hex')}`)
  const letters = Array.from({ length: codeLength }, (_, at) => {
    const five = (bits >> BigInt(at * bitsEach)) & 31n
    return alphabet[Number(five)]
  })
  return new Secret(letters.join(''))
}

export function digestOfCode({ keyRing }: Needs, code: Secret): Buffer {
  return keyRing.keyedDigest('link-code', `stored\n${code.reveal()}`)
}

export function linkAddress(
  needs: Needs & Pick<FormNeeds, 'publicAddress'>,
  link: { readonly linkId: bigint },
): string {
  return `${needs.publicAddress.url}${linkPath}${codeOf(needs, link).reveal()}`
}

// The form that the link is paid by: another one each time that it begins anew, and for many payments one
// for each visit.
export function formTokenOf({ keyRing }: Needs, { linkId, rounds }: Link, visit: string): Secret {
  const derived = keyRing.keyedDigest('link-code', `form\n${linkId}\n${visit}\n${rounds}`)
  return new Secret(derived.toString('hex').slice(0, 32))
}

// Without case and blanks, so that "Main St" answers what "main st " was asked for.
export function answerDigest({ keyRing }: Needs, { linkId }: Pick<Link, 'linkId'>, answer: string): string {
  const plain = answer.normalize('NFKC').toLowerCase().replace(/\s/gu, '')
  return keyRing.keyedDigest('link-answer', `${linkId}\n${plain}`).toString('hex')
}
