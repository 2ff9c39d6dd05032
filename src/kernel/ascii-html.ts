import type { Html } from '#kernel/html.ts'

// What no character reference can stand for: control characters but the harmless two, halves of a pair, and
// those that Unicode promises never to use. A browser would read some of them as something else.
function isUnprintable(code: number): boolean {
  const isControl = (code < 0x20 && code !== 0x09 && code !== 0x0a) || (code >= 0x7f && code <= 0x9f)
  const isHalf = code >= 0xd800 && code <= 0xdfff
  const isNever = (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe
  return isControl || isHalf || isNever
}

// The same page in pure ASCII: every other character becomes a character reference. Nothing is left that a
// reader could strip, so stripping can join no two pieces into markup.
export function asciiHtml({ text }: Html): string {
  return text.replace(/[^\t\n\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `&#x${(isUnprintable(code) ? 0xfffd : code).toString(16).toUpperCase()};`
  })
}
