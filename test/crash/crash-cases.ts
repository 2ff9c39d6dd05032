import type { CrashPoint } from '#engine/payments/payment-needs.ts'
import type { Delivery } from '../../simulator/delivery.ts'

// Where it dies, by the usual numbers. C7 (the answer is lost on the wire) and C8 (the event is not
// delivered) leave the same rows as C6. C12 to C14 are about standbys and restored databases.
export type Death =
  | { readonly name: string; readonly in: 'request'; readonly at: CrashPoint | 'in_flight' }
  | { readonly name: string; readonly in: 'recovery'; readonly at: CrashPoint }
  | { readonly name: string; readonly in: 'commit'; readonly nth: 1 | 2 }
  | { readonly name: string; readonly in: 'sleep'; readonly at: 'before_send' | 'before_t2' }
  | { readonly name: string; readonly in: 'nothing' }

export const deaths: readonly Death[] = [
  { name: 'nobody dies', in: 'nothing' },
  { name: 'C0 before T1 is committed', in: 'request', at: 'before_t1_commit' },
  { name: 'C1 the commit of T1 is not confirmed', in: 'commit', nth: 1 },
  { name: 'C2 after T1', in: 'request', at: 'after_t1' },
  { name: 'C3 the request is with the bank', in: 'request', at: 'in_flight' },
  { name: 'C4 the answer has arrived', in: 'request', at: 'after_send' },
  { name: 'C4 T2 is not begun', in: 'request', at: 'before_t2' },
  { name: 'C5 the commit of T2 is not confirmed', in: 'commit', nth: 2 },
  { name: 'C6 after T2', in: 'request', at: 'after_t2' },
  { name: 'C9 before the reversal is sent', in: 'recovery', at: 'before_reversal' },
  { name: 'C9 after the reversal was answered', in: 'recovery', at: 'after_reversal' },
  { name: 'C10 the recoverer between inquiry and T2', in: 'recovery', at: 'before_recovery_t2' },
  { name: 'C11 sleeps before it sends', in: 'sleep', at: 'before_send' },
  { name: 'C11 sleeps before it records', in: 'sleep', at: 'before_t2' },
]

export type Behaviour =
  | 'approves'
  | 'declines'
  | 'approves a part'
  | 'breaks a condition'
  | 'drops before processing'
  | 'processes then drops'
  | 'late'
  | 'twice'
  | 'garbled'
  | 'inquiry lags'
  | 'inquiry lags long'
  | 'never leaves'

// What the line does to the first request; the rest are cards and amounts.
export const deliveries: Readonly<Record<Behaviour, Partial<Delivery> | null>> = {
  approves: null,
  declines: null,
  'approves a part': null,
  'breaks a condition': null,
  'drops before processing': { losesRequest: true, hangsUp: true },
  'processes then drops': { losesAnswer: true, hangsUp: true },
  late: { answersAfterMs: 40_000 },
  twice: { answersTwice: true },
  garbled: { garbles: 'other_ref' },
  'inquiry lags': { losesAnswer: true, hangsUp: true, inquiryLagMs: 30_000 },
  'inquiry lags long': { losesAnswer: true, hangsUp: true, inquiryLagMs: 200_000 },
  'never leaves': null,
}

const behaviours: readonly Behaviour[] = [
  ...(['approves', 'declines', 'approves a part', 'breaks a condition', 'drops before processing'] as const),
  ...(['processes then drops', 'late', 'twice', 'garbled', 'inquiry lags', 'inquiry lags long'] as const),
  'never leaves',
]

export type Timing = 'at once' | 'after the lease' | 'two recoverers'
// Sales are orders that are made with their charge; an order was begun before, by a payer.
export type Kind = 'sale' | 'verify' | 'void' | 'credit' | 'instalment' | 'order'

export type CrashCase = {
  readonly death: Death
  readonly behaviour: Behaviour
  readonly timing: Timing
  readonly hasKey: boolean
  readonly kind: Kind
}

const timings: readonly Timing[] = ['at once', 'after the lease', 'two recoverers']
const kinds: readonly Kind[] = ['sale', 'verify', 'void', 'credit', 'instalment', 'order']

// A void is asked about by repeating it, and has neither conditions nor parts.
const notOfVoids: ReadonlySet<Behaviour> = new Set([
  'breaks a condition',
  'inquiry lags',
  'inquiry lags long',
  'never leaves',
])

// Nobody gives back a part of a credit, or has conditions.
const notOfCredits: ReadonlySet<Behaviour> = new Set(['approves a part', 'breaks a condition'])

function kindsOf(behaviour: Behaviour): readonly Kind[] {
  const without = { void: notOfVoids, credit: notOfCredits }
  return kinds.filter((kind) => {
    return kind === 'void' || kind === 'credit' ? !without[kind].has(behaviour) : true
  })
}

export function allCases(): readonly CrashCase[] {
  return deaths.flatMap((death) =>
    behaviours.flatMap((behaviour) =>
      timings.flatMap((timing) =>
        [true, false].flatMap((hasKey) =>
          kindsOf(behaviour)
            // Whoever charges an instalment or an order knows it by the instalment or order itself.
            .filter((kind) => (kind !== 'instalment' && kind !== 'order') || !hasKey)
            .map((kind) => ({ death, behaviour, timing, hasKey, kind })),
        ),
      ),
    ),
  )
}

export function nameOf({ death, behaviour, timing, hasKey, kind }: CrashCase): string {
  return `${kind}, ${hasKey ? 'key' : 'no key'}, ${behaviour}, ${death.name}, recovered ${timing}`
}
