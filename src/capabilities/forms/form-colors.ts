import { cssColorNames } from '#capabilities/forms/css-color-names.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export const colorParts = ['page', 'button', 'buttonBorder', 'label', 'buttonText', 'boxText', 'box'] as const
export type ColorPart = (typeof colorParts)[number]
// Each as six hex digits.
export type FormColors = Readonly<Record<ColorPart, string>>

// Exactly this list is what clients of the family send when they have no wishes.
const usualColors = 'ffffff,428bca,007bff,212121,ffffff,212121,ffffff'

// null: the merchant has no wishes, so our own theme is used.
export function parseColors(text: string, member: string): Result<FormColors | null, 'value_out_of_range'> {
  const no = (problem: string) => refuse('value_out_of_range', { problem: `${member} ${problem}` })
  if (text.trim() === '') return ok(null)
  const items = text.split(',').map((item) => item.trim())
  if (items.length !== colorParts.length)
    return no(`has ${items.length} colours; it must have ${colorParts.length}`)
  const colors = items.map(hexOf)
  const wrong = colors.indexOf(null)
  if (wrong >= 0) {
    const shown = (items[wrong] ?? '').slice(0, 20)
    return no(`has '${shown}' in place ${wrong + 1}; hex such as #428bca or a colour name is meant`)
  }
  if (colors.join(',') === usualColors) return ok(null)
  return ok(colorsFrom(colors.map(String)))
}

function hexOf(item: string): string | null {
  const named = cssColorNames.get(item.toLowerCase())
  if (named !== undefined) return named
  const [, digits = ''] = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(item) ?? []
  if (digits === '') return null
  const full = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits
  return full.toLowerCase()
}

// As it is stored and as the address of the stylesheet carries it: seven times six digits.
export function printColors(colors: FormColors): string {
  return colorParts.map((part) => colors[part]).join('-')
}

export function readColors(text: string): FormColors | null {
  const colors = text.split('-')
  const isWhole = colors.length === colorParts.length && colors.every((one) => /^[0-9a-f]{6}$/.test(one))
  return isWhole ? colorsFrom(colors) : null
}

function colorsFrom([page, button, buttonBorder, label, buttonText, boxText, box]: readonly string[]) {
  const [white, black] = ['ffffff', '000000']
  return {
    page: page ?? white,
    button: button ?? black,
    buttonBorder: buttonBorder ?? black,
    label: label ?? black,
    buttonText: buttonText ?? white,
    boxText: boxText ?? black,
    box: box ?? white,
  }
}

// WCAG 2: from 1 (the same) to 21 (black on white).
export function contrastOf(left: string, right: string): number {
  const [light, dark] = [luminanceOf(left), luminanceOf(right)].toSorted((one, other) => other - one)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}

function luminanceOf(color: string): number {
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}

export const textContrast = 4.5
const shapeContrast = 3

// Text that could not be read on its ground becomes black or white, whichever reads better.
export function readable(text: string, ground: string): string {
  if (contrastOf(text, ground) >= textContrast) return text
  return contrastOf('ffffff', ground) >= contrastOf('000000', ground) ? 'ffffff' : '000000'
}

export function isVisibleOn(shape: string, ground: string): boolean {
  return contrastOf(shape, ground) >= shapeContrast
}
