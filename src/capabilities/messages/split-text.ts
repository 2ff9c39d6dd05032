// How a text travels: in the alphabet of phones (GSM 03.38), one octet a character, where that has all of
// its characters, and in UCS-2 otherwise. What is too long for one short message goes as several, each with
// a header by which the phone joins them.

const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const escape = 0x1b
// Characters that are written as an escape and another one.
const extended: Readonly<Record<string, number>> = {
  '\f': 0x0a,
  '^': 0x14,
  '{': 0x28,
  '}': 0x29,
  '\\': 0x2f,
  '[': 0x3c,
  '~': 0x3d,
  ']': 0x3e,
  '|': 0x40,
  '€': 0x65,
}

const codes: ReadonlyMap<string, readonly number[]> = new Map([
  ...Array.from(basic).map((character, code): [string, readonly number[]] => [character, [code]]),
  ...Object.entries(extended).map(([character, code]): [string, readonly number[]] => [
    character,
    [escape, code],
  ]),
])

export type SplitText = {
  // The data coding of SMPP: 0 for the alphabet of phones, 8 for UCS-2.
  readonly coding: 0 | 8
  // Where there are several, each opens with the header that joins them.
  readonly parts: readonly Buffer[]
}

const octetsMax = { 0: { alone: 160, joined: 153 }, 8: { alone: 140, joined: 134 } } as const
// Of one text: the header counts them in one octet.
export const partsMax = 255

// The reference is the same for all parts of a text and different for texts that a phone gets together.
export function splitText(text: string, reference: bigint): SplitText {
  const { coding, pieces } = encode(text)
  const { alone, joined } = octetsMax[coding]
  const whole = Buffer.concat(pieces)
  if (whole.length <= alone) return { coding, parts: [whole] }
  const bodies = fill(pieces, joined)
  const id = Number(BigInt.asUintN(8, reference))
  const parts = bodies.map((body, at) => Buffer.concat([headerOf(id, bodies.length, at + 1), body]))
  return { coding, parts }
}

export function countParts(text: string): number {
  return splitText(text, 0n).parts.length
}

// Pieces that may not be cut: a character with its escape, or a pair of surrogates.
function encode(text: string): { readonly coding: 0 | 8; readonly pieces: readonly Buffer[] } {
  const characters = Array.from(text)
  const known = characters.map((character) => codes.get(character))
  if (characters.every((character, at) => known[at] !== undefined && character !== '\u001b'))
    return { coding: 0, pieces: known.map((code) => Buffer.from(code ?? [])) }
  return { coding: 8, pieces: characters.map((one) => Buffer.from(one, 'utf16le').swap16()) }
}

function fill(pieces: readonly Buffer[], octets: number): readonly Buffer[] {
  const bodies: Buffer[][] = [[]]
  let used = 0
  for (const piece of pieces) {
    if (used + piece.length > octets) {
      bodies.push([])
      used = 0
    }
    bodies.at(-1)?.push(piece)
    used += piece.length
  }
  return bodies.map((body) => Buffer.concat(body))
}

// A header of five octets that says: part so many of so many, of the text with this number.
function headerOf(id: number, count: number, number: number): Buffer {
  return Buffer.from([5, 0, 3, id, count, number])
}
