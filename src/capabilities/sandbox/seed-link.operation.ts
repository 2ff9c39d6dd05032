import { codeInAddress, linkPath } from '#capabilities/links/link-code.ts'
import { findMadeLink, type LinkWish, makeLink } from '#capabilities/links/make-link.operation.ts'
import type { LinkNeeds } from '#capabilities/links/show-link.operation.ts'
import { seeder } from '#capabilities/sandbox/seed-cards.operation.ts'
import type { TokenOwner } from '#capabilities/sessions/token-owner.ts'
import type { CallerKey } from '#engine/payments/attempt.ts'
import { assert } from '#kernel/assert.ts'
import { merchantNumber } from '#kernel/ids.ts'

// Paths, because the gateway's own address is known only once it listens.
export type SeededLinks = { readonly open: string }

const nobody = {
  firstName: '',
  lastName: '',
  email: '',
  phone: '',
  street: '',
  city: '',
  state: '',
  zip: '',
  country: '',
}

const demoLink: LinkWish = {
  merchant: merchantNumber(1),
  widget: 'SW',
  sending: 'none',
  email: '',
  phone: '',
  body: 'Thank you for trying this out.',
  amount: { amount: { units: 25n, scale: 0 }, member: 'amount' },
  masks: {},
  colors: null,
  dueOn: null,
  // Beyond whatever the time machine is moved to.
  expiresOn: '2098-12-31',
  isSingleUse: false,
  consentId: null,
  questions: [],
  redirectUrl: '',
  widgetUrl: '',
  keyIndex: '',
  clientRef: 'demo-link',
  guid: '',
  payer: nobody,
  // Nobody called, so nothing has a name.
  names: {
    submission: 'options',
    visible: 'visible',
    zip: 'zip',
    street: 'street',
    kind: 'kind',
    sms: 'sms',
    body: 'body',
    email: 'email',
    phone: 'phone',
    amount: 'amount',
    dueOn: 'due',
    expiresOn: 'expiry',
    redirectUrl: 'redirect',
    widgetUrl: 'widget',
    keyIndex: 'key',
  },
}

// Makes one link that stays open, and finds it at every other start.
export async function seedLink(needs: LinkNeeds, owner: TokenOwner): Promise<SeededLinks> {
  const callerKey: CallerKey = { operation: 'sandbox', key: 'link', fingerprint: Buffer.alloc(32) }
  const caller = seeder(needs, owner, callerKey)
  const earlier = await findMadeLink(needs, caller)
  if (!earlier) await makeLink(needs, caller, demoLink)
  // Another node may have been faster.
  const made = earlier ?? (await findMadeLink(needs, caller))
  const code = made && codeInAddress(made.value.url)
  assert(code, 'the demo link is there after it was seeded')
  return { open: `${linkPath}${code.reveal()}` }
}
