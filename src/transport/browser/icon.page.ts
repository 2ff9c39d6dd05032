import { type Html, html } from '#kernel/html.ts'

// A T that is a gate, plain enough for a tab.
export const icon: Html = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
  <rect width="16" height="16" rx="3" fill="#0b6b4f" />
  <path d="M3.5 8V4h9v4M8 4v9" fill="none" stroke="#fff" stroke-width="2" />
</svg>
`
