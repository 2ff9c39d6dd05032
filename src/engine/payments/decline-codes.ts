// What a decline says about the next try.
// soft: another time may do.
// hard: the card will never be good for this: lost, stolen, closed, expired, not allowed.
// stopped: the payer has told the issuer to stop this payment (R0) or all of this merchant's (R1, R3).
// unreachable: the bank that decides could not be reached, or could not do its work: nothing was decided.
// unconfirmed: the bank wants to know who pays.
export type DeclineClass = 'soft' | 'hard' | 'stopped' | 'unreachable' | 'unconfirmed'

type Decline = { readonly is: DeclineClass; readonly text: string }

// The one table of what issuers and networks decline with. Shipped as data, as of November 2026.
const declines: ReadonlyMap<string, Decline> = new Map<string, Decline>([
  ['01', { is: 'soft', text: 'CALL ISSUER' }],
  ['02', { is: 'soft', text: 'CALL ISSUER' }],
  ['04', { is: 'hard', text: 'DECLINED: the issuer keeps the card' }],
  ['05', { is: 'soft', text: 'DECLINED: the issuer gives no reason' }],
  ['07', { is: 'hard', text: 'DECLINED: the issuer keeps the card' }],
  ['10', { is: 'soft', text: 'DECLINED: only a part could be approved' }],
  ['12', { is: 'hard', text: 'DECLINED: invalid transaction' }],
  ['14', { is: 'hard', text: 'DECLINED: no such card' }],
  ['15', { is: 'hard', text: 'DECLINED: no such issuer' }],
  ['41', { is: 'hard', text: 'DECLINED: lost card' }],
  ['43', { is: 'hard', text: 'DECLINED: stolen card' }],
  ['46', { is: 'hard', text: 'DECLINED: closed account' }],
  ['51', { is: 'soft', text: 'DECLINED: insufficient funds' }],
  ['54', { is: 'hard', text: 'DECLINED: expired card' }],
  ['57', { is: 'hard', text: 'DECLINED: not allowed with this card' }],
  ['61', { is: 'soft', text: 'DECLINED: over the amount limit' }],
  ['65', { is: 'soft', text: 'DECLINED: over the count limit' }],
  ['82', { is: 'hard', text: 'DECLINED: wrong security code' }],
  ['91', { is: 'unreachable', text: 'DECLINED: issuer unavailable' }],
  ['92', { is: 'unreachable', text: 'DECLINED: no way to the issuer was found' }],
  ['96', { is: 'unreachable', text: 'DECLINED: processing error' }],
  ['1A', { is: 'unconfirmed', text: 'DECLINED: the issuer wants the payer confirmed' }],
  ['65A', { is: 'unconfirmed', text: 'DECLINED: the issuer wants the payer confirmed' }],
  ['R0', { is: 'stopped', text: 'DECLINED: the payer has stopped this payment' }],
  ['R1', { is: 'stopped', text: 'DECLINED: the payer has stopped all payments to this merchant' }],
  ['R3', { is: 'stopped', text: 'DECLINED: the payer has stopped all payments to this merchant' }],
])

export type DeclineDoc = Decline & { readonly code: string }

export function listDeclines(): readonly DeclineDoc[] {
  return [...declines].map(([code, decline]) => ({ code, ...decline }))
}

// What to do about it, for whoever charges by calls of their own; plans are collected by the same table.
export const declineRemedies: Readonly<Record<DeclineClass, string>> = {
  soft: 'Another day may do; or ask for another card.',
  hard: 'Ask for another card. This one will not be approved.',
  stopped: 'Charge this card no more: its holder has told the bank so.',
  unreachable: 'Nothing was decided: try again in a few minutes.',
  unconfirmed: 'Let its holder pay on a form, on which the bank can ask who it is; or ask for another card.',
}

// What people are told about a decline.
export function declineText(code: string): string {
  return declines.get(code)?.text ?? `DECLINED ${code}`
}

// A code that we do not know may be tried again.
export function declineClass(code: string): DeclineClass {
  return declines.get(code)?.is ?? 'soft'
}
