import { Html, html } from '#kernel/html.ts'

// Our own drawings, in the page itself: no request, and nothing from elsewhere.
const symbols = new Html(`<svg hidden>
<symbol id="i-card" viewBox="0 0 34 22"><rect x=".5" y=".5" width="33" height="21" rx="3.5" fill="none" stroke="currentColor"/><path d="M0 6h34v4H0z" fill="currentColor"/><path d="M4 15h9" stroke="currentColor" stroke-width="2"/></symbol>
<symbol id="i-VI" viewBox="0 0 34 22"><rect width="34" height="22" rx="4" fill="#fff"/><rect x=".5" y=".5" width="33" height="21" rx="3.5" fill="none" stroke="#c9d0d9"/><text x="17" y="15" text-anchor="middle" font-family="Arial,sans-serif" font-size="10.5" font-weight="700" font-style="italic" fill="#1a1f71">VISA</text></symbol>
<symbol id="i-MC" viewBox="0 0 34 22"><rect width="34" height="22" rx="4" fill="#252525"/><circle cx="13.5" cy="11" r="6.5" fill="#eb001b"/><circle cx="20.5" cy="11" r="6.5" fill="#f79e1b"/><path d="M17 5.5a6.5 6.5 0 0 1 0 11 6.5 6.5 0 0 1 0-11z" fill="#ff5f00"/></symbol>
<symbol id="i-AE" viewBox="0 0 34 22"><rect width="34" height="22" rx="4" fill="#016fd0"/><text x="17" y="14.5" text-anchor="middle" font-family="Arial,sans-serif" font-size="8.5" font-weight="700" fill="#fff">AMEX</text></symbol>
<symbol id="i-DS" viewBox="0 0 34 22"><rect width="34" height="22" rx="4" fill="#fff"/><path d="M34 12v6a4 4 0 0 1-4 4H12c11-2 18-6 22-10z" fill="#f47216"/><rect x=".5" y=".5" width="33" height="21" rx="3.5" fill="none" stroke="#c9d0d9"/><text x="17" y="11.5" text-anchor="middle" font-family="Arial,sans-serif" font-size="6" font-weight="700" fill="#231f20">DISCOVER</text></symbol>
<symbol id="i-DC" viewBox="0 0 34 22"><rect width="34" height="22" rx="4" fill="#0079be"/><circle cx="17" cy="11" r="7" fill="#fff"/><path d="M15 6v10a5.3 5.3 0 0 1 0-10zm4 0a5.3 5.3 0 0 1 0 10z" fill="#0079be"/></symbol>
<symbol id="i-JC" viewBox="0 0 34 22"><rect width="34" height="22" rx="4" fill="#fff"/><rect x=".5" y=".5" width="33" height="21" rx="3.5" fill="none" stroke="#c9d0d9"/><rect x="7" y="4" width="6" height="14" rx="2.5" fill="#0e4c96"/><rect x="14" y="4" width="6" height="14" rx="2.5" fill="#d0112b"/><rect x="21" y="4" width="6" height="14" rx="2.5" fill="#00843d"/></symbol>
<symbol id="i-UP" viewBox="0 0 34 22"><rect width="34" height="22" rx="4" fill="#00447c"/><path d="M4 0h10L9 22H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4z" fill="#e21836"/><path d="M24 0h6a4 4 0 0 1 4 4v14a4 4 0 0 1-4 4H19z" fill="#007b84"/></symbol>
<symbol id="i-lock" viewBox="0 0 16 16"><path d="M4.5 7V5a3.5 3.5 0 0 1 7 0v2" fill="none" stroke="currentColor" stroke-width="1.6"/><rect x="3" y="7" width="10" height="7" rx="1.8" fill="currentColor"/></symbol>
<symbol id="i-bank" viewBox="0 0 20 20"><path d="M2 8l8-5 8 5M3 17h14M5 9.5V15m3.3-5.5V15m3.4-5.5V15M15 9.5V15" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/></symbol>
<symbol id="i-wallet" viewBox="0 0 20 20"><rect x="2" y="4" width="16" height="12" rx="2.5" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="M2 8.5h16" stroke="currentColor" stroke-width="1.6"/></symbol>
<symbol id="i-wrong" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="currentColor"/><path d="M8 4.2v4.6" stroke="#fff" stroke-width="1.8" stroke-linecap="round"/><circle cx="8" cy="11.5" r="1.1" fill="#fff"/></symbol>
<symbol id="i-phone" viewBox="0 0 16 16"><path d="M4 1.5 2 3c0 6 5 11 11 11l1.5-2-3-2.5-1.7 1.2C8.3 9.9 6.1 7.7 5.3 6.2L6.5 4.5z" fill="currentColor"/></symbol>
<symbol id="i-tick" viewBox="0 0 64 64"><circle cx="32" cy="32" r="30" fill="currentColor"/><path class="tick" d="M19 33.5 28.5 43 46 23" fill="none" stroke="#fff" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"/></symbol>
<symbol id="i-clock" viewBox="0 0 64 64"><circle cx="32" cy="32" r="28" fill="none" stroke="currentColor" stroke-width="4"/><path d="M32 16v17l11 7" fill="none" stroke="currentColor" stroke-width="4" stroke-linecap="round"/></symbol>
</svg>`)

export function iconSprite(): Html {
  return symbols
}

export function icon(name: string, kind: string): Html {
  return html`<svg class="${kind}" aria-hidden="true"><use href="#i-${name}"></use></svg>`
}
