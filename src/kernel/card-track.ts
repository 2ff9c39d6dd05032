import { type CardExpiry, cardExpiry } from '#kernel/card-expiry.ts'
import { CardNumber } from '#kernel/card-number.ts'
import type { Secret } from '#kernel/secret.ts'

export type CardTrack = { readonly number: CardNumber; readonly expiry: CardExpiry }

// A part of a track, and what is expected of it.
type Part = readonly [form: RegExp, expected: string]
type Layout = { readonly name: string; readonly lengthMax: number; readonly parts: readonly Part[] }

// ISO/IEC 7813. Characters of track 1 are those of six bits, blank to underscore; of a name and of further
// data all but the sentinels, of a name without the separator. Readers add the check character (LRC) or leave
// it out.
const layouts: Readonly<Record<string, Layout>> = {
  '%': {
    name: 'track 1',
    lengthMax: 78,
    parts: [
      [/%B/y, '%B at its start'],
      [/\d{1,19}\^/y, 'a number of at most 19 digits and ^ behind %B'],
      [/[ -$&->@-\]_]{2,26}\^/y, 'a name of 2 to 26 characters, no small letters, and ^ behind the number'],
      [/\d{4}/y, 'an expiry YYMM behind the name'],
      [/\d{3}|\^/y, 'a service code of three digits behind the expiry'],
      [/[ -$&->@-_]*\?/y, '? at its end'],
      [/[ -_]?$/y, 'one check character behind ?, or nothing'],
    ],
  },
  ';': {
    name: 'track 2',
    lengthMax: 39,
    parts: [
      [/;\d{1,19}=/y, 'a number of at most 19 digits between ; and ='],
      [/\d{4}/y, 'an expiry YYMM behind the number'],
      [/\d{3}|=/y, 'a service code of three digits behind the expiry'],
      [/[\d=]*\?/y, '? at its end'],
      [/[0-?]?$/y, 'one check character behind ?, or nothing'],
    ],
  },
}

type Read = CardTrack | { readonly problem: string }

// Readers send track 1 with track 2 behind it, too.
const bothTracks = /^(%[^?]*\?[ -_]?)(;.+)$/

// The number and the expiry on track 1 or 2 of a magnetic stripe, or on both. Both sentinels are needed:
// without the one at the end, half a track looks like a whole one. A problem never repeats anything of the
// track.
export function readTrack(track: Secret): Read {
  const text = track.reveal()
  const [, one = text, two = text] = bothTracks.exec(text) ?? []
  const first = readOne(one)
  if ('problem' in first || one === two) return first
  const second = readOne(two)
  return 'problem' in second || isSameCard(first, second)
    ? second
    : { problem: 'holds two tracks that differ in number or expiry' }
}

function isSameCard(first: CardTrack, second: CardTrack): boolean {
  const { month, year } = second.expiry
  return first.number.equals(second.number) && first.expiry.month === month && first.expiry.year === year
}

function readOne(text: string): Read {
  const layout = layouts[text.slice(0, 1)]
  if (!layout) return { problem: 'must start with %B (track 1) or ; (track 2)' }
  const { name, lengthMax, parts } = layout
  let at = 0
  for (const [form, expected] of parts) {
    form.lastIndex = at
    if (!form.test(text)) return { problem: `cannot be read as ${name}: expected ${expected}` }
    at = form.lastIndex
  }
  if (text.indexOf('?') >= lengthMax) return { problem: `is longer than ${name} can be` }
  return contentOf(text)
}

const content = /^(?:%B(\d+)\^[^^]+\^|;(\d+)=)(\d\d)(\d\d)/

function contentOf(text: string): Read {
  const [, first = '', second = '', year, month] = content.exec(text) ?? []
  const number = CardNumber.parse(first + second)
  if (!number) return { problem: 'does not hold a card number' }
  const expiry = cardExpiry(Number(month), Number(year))
  return expiry ? { number, expiry } : { problem: 'holds an expiry whose month is not 01 to 12' }
}
