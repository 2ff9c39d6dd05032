import { type Html, html } from '#kernel/html.ts'

// One of our own drawings in browser/icons.svg, which stands in the page: no request, nothing from elsewhere.
export function icon(name: string, kind: string): Html {
  return html`<svg class="${kind}" aria-hidden="true"><use href="#i-${name}"></use></svg>`
}
