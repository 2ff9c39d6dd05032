import { accountDefaults } from '#engine/merchants/account.ts'
import { createAccount } from '#engine/merchants/create-account.operation.ts'
import { systemClock } from '#platform/clock.ts'
import { countSessions } from './database-facts.ts'
import type { Gateway } from './gateway.ts'
import { isDisturbing, watch } from './measure.ts'
import type { Noise } from './processor-time.ts'
import { type Bench, CheckFailed, type Figure, type Verdict } from './scenario.ts'
import { median } from './statistics.ts'

// Whether the time of a refusal tells that an account code exists. Two ways to ask: the same two codes again
// and again, and a new code every time, as somebody does who looks for codes.

export type RefusalTimes = {
  readonly way: string
  readonly count: number
  readonly knownMs: number
  readonly unknownMs: number
  readonly apart: number
  // The same measure between two halves of the refusals for known codes: what chance alone makes of it.
  readonly apartByChance: number
  readonly noise: Noise
}

type Pair = { readonly known: string; readonly unknown: string }
type Place = { readonly gateway: Gateway; readonly url: string }

const apartMax = 0.05
const wrongToken = '0'.repeat(32)
const mark = '"ErrCode":5001,'

export async function compareRefusals(
  bench: Bench,
  { gateway, url }: Place,
): Promise<readonly RefusalTimes[]> {
  const { seriesLength } = bench.extent
  const fresh = Array.from({ length: seriesLength }, (_, at) => pairAt(at))
  await gateway.db.inTransaction(async (tx) => {
    const needs = { db: tx, clock: systemClock }
    for (const { known } of fresh) {
      const made = await createAccount(needs, { accountCode: known, settings: accountDefaults })
      if (!made.ok) throw new Error(`The account ${known} could not be made: ${made.refusal.kind}`)
    }
  })
  const one = { known: gateway.sandbox.acctCode, unknown: codeOf(9_999_999) }
  const same = Array.from({ length: seriesLength }, () => one)
  return [
    await timePairs(bench, { gateway, url }, { way: 'a new code every time', pairs: fresh }),
    await timePairs(bench, { gateway, url }, { way: 'the same code again', pairs: same }),
  ]
}

// Neighbours in every index, so that its order favours neither.
function pairAt(at: number): Pair {
  return { known: codeOf(2 * at), unknown: codeOf(2 * at + 1) }
}

function codeOf(number: number): string {
  return `BE${String(number).padStart(7, '0')}`
}

async function timePairs(
  bench: Bench,
  { gateway, url }: Place,
  { way, pairs }: { way: string; pairs: readonly Pair[] },
): Promise<RefusalTimes> {
  const { load } = bench
  const warm = pairs.slice(0, 50).map(() => bodyFor(codeOf(9_999_998)))
  await load.series({ url, bodies: warm, mark })
  // Each goes first in every other pair.
  const asked = pairs.flatMap(({ known, unknown }, at) => {
    const both = [
      { code: known, isKnown: true },
      { code: unknown, isKnown: false },
    ]
    return at % 2 === 0 ? both : both.toReversed()
  })
  const rowsBefore = await countSessions(gateway.db)
  const bodies = asked.map(({ code }) => bodyFor(code))
  await bench.waitForQuiet()
  const { result, noise } = await watch({ ...gateway, loadId: load.begin() }, () =>
    load.series({ url, bodies, mark }),
  )
  const { ms, marked } = result
  const rows = (await countSessions(gateway.db)) - rowsBefore
  if (marked !== asked.length || rows !== 0) {
    throw new CheckFailed(
      `${way}: ${asked.length} wrong sign-ins, ${marked} refused as such, ${rows} sessions`,
    )
  }
  const known = ms.filter((_, at) => asked[at]?.isKnown)
  const unknownMs = median(ms.filter((_, at) => !asked[at]?.isKnown))
  const knownMs = median(known)
  const halves = [0, 1].map((half) => median(known.filter((_, at) => at % 2 === half)))
  return {
    way,
    count: pairs.length,
    knownMs,
    unknownMs,
    apart: apartBy(knownMs, unknownMs),
    apartByChance: apartBy(halves[0] ?? NaN, halves[1] ?? NaN),
    noise,
  }
}

function bodyFor(code: string): string {
  return JSON.stringify({ AcctCode: code, Token: wrongToken })
}

function apartBy(a: number, b: number): number {
  return Math.abs(a - b) / Math.min(a, b)
}

export function refusalFigures(all: readonly RefusalTimes[]): readonly Figure[] {
  return all.map(({ way, count, knownMs, unknownMs, apart, apartByChance, noise }) => ({
    what: `wrong token, ${way}`,
    value: `${percent(apart)} apart`,
    notes:
      `known p50 ${knownMs.toFixed(3)} ms, unknown p50 ${unknownMs.toFixed(3)} ms, ${count} each, ` +
      `by chance ${percent(apartByChance)}${isDisturbing(noise) ? ', disturbed by other programs' : ''}`,
  }))
}

export function refusalVerdicts(all: readonly RefusalTimes[]): readonly Verdict[] {
  return all.map(({ way, apart }) => ({
    passes: apart <= apartMax,
    sentence:
      `known and unknown account code, ${way}: ` +
      `medians ${percent(apart)} apart (limit ${percent(apartMax)})`,
  }))
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
