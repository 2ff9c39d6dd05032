import { Type } from 'typebox'

// What /openapi.json says of members beyond what a reader of requests checks by their schema.

// A text of an answer that is one of these. Some generators name the values of an enum by themselves, which
// an empty one does not allow: there a pattern stands instead.
export const WireWord = (words: readonly string[], description: string) =>
  Type.String({
    maxLength: Math.max(...words.map(({ length }) => length)),
    ...(words.includes('') ? { pattern: `^(${words.filter(Boolean).join('|')})?$` } : { enum: [...words] }),
    description,
  })

export const cardTypes = ['VI', 'MC', 'AE', 'DS', 'DC', 'JC', 'UP', ''] as const
export const origins = ['API', 'WID', 'VT', 'AUTO'] as const

// Of members of requests: their contract refuses what does not fit, in words of its own.
export const published = (keywords: {
  readonly minLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
}) => ({ 'x-published': keywords })

// A list of words would make generated clients refuse what is taken: other capitals, and blanks around it.
export function patternOf(words: readonly string[]): string {
  const anyCase = words.map((word) =>
    word.replaceAll(/[A-Za-z]/g, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`),
  )
  return `^\\s*(${anyCase.join('|')})\\s*$`
}

// Like WireText, for a text that is refused when it is empty.
export const WireFilled = (lengthMax: number, description: string) =>
  Type.String({ maxLength: lengthMax, description, ...published({ minLength: 1 }) })
