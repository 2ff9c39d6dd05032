import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'

// Payment links.
export const linkErrors = {
  link_not_found: {
    code: 6611,
    severity: 'LOW',
    text: 'There is no link {link}',
    cause: 'The link was never made, or it belongs to another account or merchant record.',
    remedy: 'Link/Query lists the links that there are.',
    sample: { link: 7 },
  },
  link_over: {
    code: 6612,
    severity: 'LOW',
    text: 'Link {link} is {state} and cannot be {verb}',
    cause: 'A link that is paid, withdrawn or expired stays so; one that is being paid is busy for a moment.',
    remedy: 'Make another one by Other/SMSPay, or ask again once the payment is over.',
    sample: { link: 7, state: 'paid', verb: 'withdrawn' },
  },
  link_without_recipient: {
    code: 6613,
    severity: 'LOW',
    text: 'Link {link} was made for your own use, so there is nobody to send it to',
    cause: 'Its MessageType was URLONLY.',
    remedy: 'Make another one with MessageType TEXT, SMS or EMAIL.',
    sample: { link: 7 },
  },
} as const satisfies Record<string, ErrorEntry>
