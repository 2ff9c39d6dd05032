import { type FormColors, parseColors } from '#capabilities/forms/form-colors.ts'
import { type FormMasks, parseMask } from '#capabilities/forms/form-options.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// Options of the form as a link carries them: pairs of a name and a value, all divided by bars, in any order.
export type OptParam = { readonly masks: Partial<FormMasks>; readonly colors: FormColors | null }

const maskNames: Readonly<Record<string, keyof FormMasks>> = {
  VISIBLE: 'visible',
  READONLY: 'readOnly',
  STYLES: 'styles',
  OPTIONS: 'submission',
}

export function parseOptParam(text: string): Result<OptParam, 'value_out_of_range'> {
  if (text === '') return ok({ masks: {}, colors: null })
  const parts = text.replace(/^\|/, '').split('|')
  // A bar at the end may close the last pair; behind a name alone it says that the value is empty.
  if (parts.length % 2 === 1 && parts.length > 1 && parts.at(-1) === '') parts.pop()
  if (parts.length % 2 === 1) return no('must hold pairs of a name and a value, all divided by |')
  const masks: { -readonly [Name in keyof FormMasks]?: number } = {}
  const seen = new Set<string>()
  let colors: FormColors | null = null
  for (let at = 0; at < parts.length; at += 2) {
    const [name, value] = [parts[at]?.trim().toUpperCase() ?? '', parts[at + 1]?.trim() ?? '']
    if (seen.has(name)) return no(`holds ${name} twice`)
    seen.add(name)
    if (name === 'COLORS') {
      const read = parseColors(withHashes(value), 'Msg.OptParam COLORS')
      if (!read.ok) return read
      colors = read.value
      continue
    }
    const mask = maskNames[name]
    if (mask === undefined)
      return no(`holds ${name}; there are VISIBLE, READONLY, STYLES, OPTIONS and COLORS`)
    const digits = parseMask(value)
    if (digits === null) return no(`${name} must have one to four hex digits`)
    masks[mask] = digits
  }
  return ok({ masks, colors })
}

function no(problem: string) {
  return refuse('value_out_of_range', { problem: `Msg.OptParam ${problem}` })
}

// Hex digits are understood with and without a hash.
function withHashes(colors: string): string {
  return colors.replace(/(^|,)\s*([0-9a-f]{3}|[0-9a-f]{6})\s*(?=,|$)/gi, '$1#$2')
}
