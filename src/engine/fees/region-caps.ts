import { type Dated, rowOn } from '#engine/fees/dated-row.ts'

// What states and territories of the United States say about surcharges, by the merchant record's region.
// Shipped as data, as of November 2026. It is no legal advice: ask counsel before relying on it.

// confirm: the law is disputed or new, so it counts as forbidden until the operator has confirmed with
// counsel.
export type RegionRule =
  | { readonly kind: 'capped'; readonly name: string; readonly basisPoints: number }
  | { readonly kind: 'forbidden'; readonly name: string }
  | { readonly kind: 'confirm'; readonly name: string }

type RuleRow = Dated &
  (
    | { readonly kind: 'capped'; readonly basisPoints: number }
    | { readonly kind: 'forbidden' }
    | { readonly kind: 'confirm' }
  )

type Region = { readonly name: string; readonly rows: readonly RuleRow[] }

// The networks allow surcharges from this day on, so no table reaches further back.
const begun = Temporal.PlainDate.from('2013-01-27')

const regions: ReadonlyMap<string, Region> = new Map<string, Region>([
  [
    'CO',
    {
      name: 'Colorado',
      rows: [
        { from: begun, kind: 'forbidden', source: 'Colorado Revised Statutes 5-2-212' },
        {
          from: Temporal.PlainDate.from('2022-07-01'),
          kind: 'capped',
          basisPoints: 200,
          source: 'Senate Bill 21-091, in force from 1 July 2022',
        },
      ],
    },
  ],
  ['CT', forbidding('Connecticut', 'Connecticut General Statutes 42-133ff')],
  ['MA', forbidding('Massachusetts', 'Massachusetts General Laws 140D, 28A')],
  ['PR', forbidding('Puerto Rico', 'law of the territory')],
  ['ME', toConfirm('Maine', 'Maine Revised Statutes 9-A, 8-509: disputed')],
  ['OK', toConfirm('Oklahoma', 'Oklahoma Statutes 14A, 2-211: disputed, newly worded in 2025')],
])

// Null for a region without a rule of its own. Before the table begins nothing is allowed.
export function regionRuleOn(code: string, on: Temporal.PlainDate): RegionRule | null {
  const region = regions.get(code)
  if (!region) return null
  const { name } = region
  const row = rowOn(region.rows, on)
  if (row?.kind === 'capped') return { kind: row.kind, name, basisPoints: row.basisPoints }
  return { kind: row?.kind ?? 'forbidden', name }
}

function forbidding(name: string, source: string): Region {
  return { name, rows: [{ from: begun, kind: 'forbidden', source }] }
}

function toConfirm(name: string, source: string): Region {
  return { name, rows: [{ from: begun, kind: 'confirm', source }] }
}
