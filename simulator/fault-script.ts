import { createHash } from 'node:crypto'
import type { BankVerb } from './bank-request.ts'
import type { Delivery } from './delivery.ts'

// Faults on request, for tests: named ones for a reference, a verb or both, and drawn ones by a seed.

export type FaultRule = {
  // Absent: every reference, every verb.
  readonly ref?: string
  readonly verb?: BankVerb
  // How often it strikes before it is used up; absent: always.
  readonly times?: number
  readonly delivery: Partial<Delivery>
}

// What is drawn depends on the seed, the verb, the reference and how often it was asked, on nothing else.
export type Chaos = {
  readonly seed: string
  // Each strikes with its share out of 1,000; the rest goes well.
  readonly draws: readonly { readonly perMille: number; readonly delivery: Partial<Delivery> }[]
}

export class FaultScript {
  #rules: { readonly rule: FaultRule; left: number }[] = []
  #chaos: Chaos | null = null
  readonly #asked = new Map<string, number>()

  add(rule: FaultRule): void {
    this.#rules.push({ rule, left: rule.times ?? Infinity })
  }

  setChaos(chaos: Chaos | null): void {
    this.#chaos = chaos
  }

  clear(): void {
    this.#rules = []
    this.#chaos = null
    this.#asked.clear()
  }

  // Takes the next fault for a request; the first rule that fits wins, then the draw.
  next(verb: BankVerb, ref: string): Partial<Delivery> | null {
    if (this.#rules.length === 0 && !this.#chaos) return null
    const found = this.#rules.find(({ rule, left }) => left > 0 && fits(rule, verb, ref))
    if (found) {
      found.left -= 1
      return found.rule.delivery
    }
    return this.#chaos ? this.#draw(this.#chaos, verb, ref) : null
  }

  #draw({ seed, draws }: Chaos, verb: BankVerb, ref: string): Partial<Delivery> | null {
    const key = `${verb} ${ref}`
    const turn = this.#asked.get(key) ?? 0
    this.#asked.set(key, turn + 1)
    const digest = createHash('sha256').update(`${seed} ${key} ${turn}`).digest()
    let left = digest.readUInt32BE(0) % 1_000
    for (const { perMille, delivery } of draws) {
      if (left < perMille) return delivery
      left -= perMille
    }
    return null
  }
}

function fits(rule: FaultRule, verb: BankVerb, ref: string): boolean {
  return (rule.ref ?? ref) === ref && (rule.verb ?? verb) === verb
}
