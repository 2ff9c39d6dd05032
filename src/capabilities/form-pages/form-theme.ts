import {
  contrastOf,
  type FormColors,
  isVisibleOn,
  readable,
  textContrast,
} from '#capabilities/forms/form-colors.ts'

// The merchant's colours as a stylesheet. Only digits that were read as colours get in. A merchant's own page
// colour means light only; what could not be read is swapped to black or white.
export function themeStyle(colors: FormColors): string {
  const { page, button, buttonBorder, label, buttonText, boxText, box } = colors
  const text = readable(label, page)
  const inBox = readable(boxText, box)
  const border = isVisibleOn(button, page) ? buttonBorder : readable(button, page)
  const line = isVisibleOn('78828f', page) ? '78828f' : text
  const values = {
    page,
    surface: page,
    text,
    muted: text,
    field: box,
    'field-text': inBox,
    inside: inBox,
    ...warningsOn(page),
    accent: button,
    'accent-text': readable(buttonText, button),
    'accent-line': border,
    link: readable(button, page),
    line,
  }
  const lines = Object.entries(values).map(([name, color]) => `--${name}:#${color}`)
  return `:root{color-scheme:light;${lines.join(';')}}\n`
}

const signs = {
  error: ['b3261e', 'ff8f86'],
  warning: ['8a5a00', 'f3c969'],
  success: ['14693f', '4fc79b'],
} as const

// Red, amber and green in the shade that reads on the merchant's page. Boxes of these colours lie on the page
// itself, so that what reads there reads everywhere.
function warningsOn(page: string): Readonly<Record<string, string>> {
  const shades = Object.entries(signs).map(([name, [dark, light]]) => [
    name,
    [dark, light].find((shade) => contrastOf(shade, page) >= textContrast) ?? readable(dark, page),
  ])
  return {
    ...Object.fromEntries(shades),
    'error-ground': page,
    'warning-ground': page,
    'warning-stripe': page,
  }
}
