import { Secret } from '#kernel/secret.ts'

export const linkPath = '/sw/'

// Digits and letters that cannot be mistaken for each other, read aloud or printed: five bits each.
export const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
export const codeLength = 16

// As it was typed from paper, perhaps, or copied out of a text with the full stop behind it: capitals and the
// letters that look like digits are understood. null when it can be no code.
export function readCode(text: string): Secret | null {
  const typed = text
    .toLowerCase()
    .replace(/[^0-9a-z]+$/, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
  const isCode = typed.length === codeLength && Array.from(typed).every((letter) => alphabet.includes(letter))
  return isCode ? new Secret(typed) : null
}

// The code at the end of a link's address; null when it is none of ours.
export function codeInAddress(address: string): Secret | null {
  const [, code = ''] = /\/sw\/(\w+)(?:[/?#]|$)/.exec(address) ?? []
  return readCode(code)
}
