import { type FormColors, isVisibleOn, readable } from '#capabilities/forms/form-colors.ts'

// The merchant's colours as a stylesheet. Only digits that were read as colours get in. A merchant's own page
// colour means light only; what could not be read is swapped to black or white.
export function themeStyle(colors: FormColors): string {
  const { page, button, buttonBorder, label, buttonText, boxText, box } = colors
  const text = readable(label, page)
  const inBox = readable(boxText, box)
  const border = isVisibleOn(button, page) ? buttonBorder : readable(button, page)
  const values = {
    page,
    surface: page,
    text,
    muted: text,
    field: box,
    'field-text': inBox,
    accent: button,
    'accent-text': readable(buttonText, button),
    'accent-line': border,
    link: readable(button, page),
    line: isVisibleOn('78828f', page) ? '78828f' : text,
  }
  const lines = Object.entries(values).map(([name, color]) => `--${name}:#${color}`)
  return `:root{color-scheme:light;${lines.join(';')}}\n`
}
