import type { ErrorEntry } from '#capabilities/wire/error-entry.ts'

// Hosted forms.
export const formErrors = {
  form_kind_missing: {
    code: 6601,
    severity: 'LOW',
    text: '{member} {kind} is not taken: {problem}',
    cause:
      'PF is the regular form, PA the one of international records, on which the payer is asked by 3-D Secure.',
    remedy: 'Send PA with an international merchant record, and PF with any other.',
    sample: { member: 'InitParams.WTYPE', kind: 'PA', problem: 'record 1 is domestic and needs PF' },
  },
  form_feature_missing: {
    code: 6602,
    severity: 'LOW',
    text: 'InitParams.WidOptions.eFeatures asks for what does not exist yet: {feature}',
    cause: 'Bits 2 (wallets) and 3 (authorization only) are reserved.',
    remedy: 'Leave these bits out; the others are ignored.',
    sample: { feature: 'wallets' },
  },
  integrator_key_unknown: {
    code: 6603,
    severity: 'LOW',
    text: '{member} {index} is no key of this account',
    cause: 'The key was never made, or it is disabled.',
    remedy: 'Ask the operator: tillgate integrator-key add. Without EINDEX values are sent unencrypted.',
    sample: { member: 'InitParams.EINDEX', index: 'shop-1' },
  },
} as const satisfies Record<string, ErrorEntry>
