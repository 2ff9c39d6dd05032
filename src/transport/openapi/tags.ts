// The groups of operations, which are the first part of their paths, in the order of the document.
const texts: Readonly<Record<string, string>> = {
  Session: 'Sign in, look at a session, end it.',
  ConsentAnnual: 'Cards on file under a consent with limits: store, charge, change, cancel.',
  ConsentRecurring: 'Cards on file with a plan of payments, or a subscription without end.',
  RecurringSchedule: 'The scheduled payments of plans: move, cancel, charge those that are due.',
  CardSale: 'Charges of cards, their voids and credits, and hosted payment forms.',
  Settlement: 'Close the day: bring transactions to the acquirer in batches.',
  Operation: 'What became of a call whose answer was lost.',
  Query: 'Searches in the query language.',
  ACH: 'Debits of bank accounts in the United States, their voids and credits.',
  Receipt: 'Receipts as pages, and by e-mail.',
  Form: 'What became of hosted payment forms.',
  Other: 'Payment links by text and e-mail.',
  Link: 'What became of payment links, sending them again, withdrawing them.',
  Intl: 'International orders, with 3-D Secure.',
  Webhook: 'Addresses that receive events: add, list, disable.',
  Event: 'Events from the first one on, for receivers that missed a webhook.',
}

const webhookTag = { name: 'Events', description: 'Messages that the gateway posts to webhooks.' }

export function tagOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : 'Session'
}

export function writeTags(paths: readonly string[]): readonly object[] {
  const used = new Set(paths.map(tagOf))
  return [...[...used].map((name) => ({ name, description: texts[name] })), webhookTag]
}

export const tagOfWebhooks = webhookTag.name
