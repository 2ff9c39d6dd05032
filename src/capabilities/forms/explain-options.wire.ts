import { isSet } from '#capabilities/forms/form-options.ts'

// What each bit of each mask means, for people. docs/hosted-form.md prints the same table, and a test
// compares the two.
export const maskMeanings = {
  visible: {
    0: 'first name',
    1: 'last name (one of the two alone: full name)',
    2: 'street address',
    3: 'city',
    4: 'state',
    5: 'ZIP',
    6: 'amount',
    7: 'reference REF_ID',
    8: 'reference RPGUID',
    9: 'expiration (always on)',
    10: 'CVV (always on)',
    11: 'agree to pay',
    12: 'agree to save the card',
    13: 'e-mail',
    14: 'permission to e-mail',
    15: 'logos: card networks, and your own',
  },
  readOnly: {
    0: 'first name',
    1: 'last name',
    2: 'street address',
    3: 'city',
    4: 'state',
    5: 'ZIP',
    6: 'amount',
    7: 'reference REF_ID',
    8: 'reference RPGUID',
    13: 'e-mail',
  },
  styles: {
    0: 'labels left of the boxes',
    1: 'labels above the boxes',
    2: 'labels inside the boxes',
    3: 'semi-round corners',
    4: 'round corners',
    5: 'serif font',
    6: 'subtly round corners',
    7: 'mark required fields',
    8: 'grotesque font',
    9: 'hide both buttons',
    10: 'hide the cancel button',
    11: 'tall boxes',
    12: 'short boxes',
  },
  submission: {
    0: 'redirect to RedirectURL (without one: as bit 3)',
    1: 'show the combined receipt',
    2: "show the customer's receipt",
    3: 'show a success message',
    4: 'silent post to PostURL: a GET',
    5: 'post a message to the parent page',
    6: 'full address match required',
    7: 'ZIP match required',
    8: 'CVV match required',
    9: 'payment',
    10: 'save the card',
    11: 'JSON post to PostURL',
    12: 'ids only',
  },
  features: {
    0: 'subscription: the form makes a plan from the member Subscription',
    2: 'wallets (refused: not built yet)',
    3: 'authorization only (refused: not built yet)',
  },
} as const satisfies Record<string, Readonly<Record<number, string>>>

// Whatever a wish says of these, the payer sees them.
export const alwaysVisible = 0b0000_0110_0000_0000

export type MaskName = keyof typeof maskMeanings

// What a form does whose mask has no bit at all.
export const meaningsOfNone: Readonly<Record<MaskName, string>> = {
  visible: 'the payer is asked for the card or bank account alone',
  readOnly: 'whatever is shown may be changed by the payer',
  styles: 'labels above boxes of usual height, semi-round corners, a plain font, both buttons',
  submission:
    'the form takes a payment and then redirects to RedirectURL, or without one shows a success message; ' +
    'no match required',
  features: 'the form has no extra features',
}

export function explainMask(name: MaskName, mask: number): readonly { bit: number; means: string }[] {
  const meanings: Readonly<Record<number, string>> = maskMeanings[name]
  return Array.from({ length: 16 }, (_, bit) => bit)
    .filter((bit) => isSet(mask, bit))
    .map((bit) => ({ bit, means: meanings[bit] ?? 'nothing (ignored)' }))
}
