import type { Chart } from '#capabilities/search/chart.ts'
import type { Comparison, Filter, FilterValue } from '#capabilities/search/filter.ts'

type Span = { readonly from: Temporal.PlainDate | null; readonly to: Temporal.PlainDate | null }

type Circumstances = { readonly zone: string; readonly today: Temporal.PlainDate }

const usualDays = 31

// What to add to a search that takes too long: a lower bound of the date that leaves half of the days asked
// for, or a term of another letter that an index leads to.
export function narrowerTerm<Field extends string>(
  filter: Filter<Field>,
  chart: Chart<Field>,
  circumstances: Circumstances,
): string {
  const led = Object.entries(chart).filter(([, { isLed }]) => isLed === true)
  const date = led.find(([, { kind }]) => isDate(kind))
  const letters = led.filter(([, { kind }]) => !isDate(kind)).map(([letter]) => letter)
  const other = `one of letter ${listed(letters)} with =`
  const day = date && laterDay(spanOf(filter, date[1].field, circumstances.zone), circumstances.today)
  return day ? `the term (${date[0]}>='${day.toString()}'), or ${other}` : other
}

function isDate(kind: string): boolean {
  return kind === 'moment' || kind === 'date'
}

function listed(letters: readonly string[]): string {
  return letters.length < 2 ? letters.join() : `${letters.slice(0, -1).join(', ')} or ${letters.at(-1)}`
}

// null when the days are as close together as they can be.
function laterDay({ from, to }: Span, today: Temporal.PlainDate): Temporal.PlainDate | null {
  const end = to ?? latest(today, from) ?? today
  if (!from) return end.subtract({ days: usualDays })
  const days = Math.ceil(from.until(end).days / 2)
  return days > 0 ? from.add({ days }) : null
}

// The days outside which no record can fit.
function spanOf(filter: Filter<string>, field: string, zone: string): Span {
  if (filter.kind === 'all') {
    const spans = filter.parts.map((part) => spanOf(part, field, zone))
    return {
      from: spans.map(({ from }) => from).reduce(latest, null),
      to: spans.map(({ to }) => to).reduce(earliest, null),
    }
  }
  if (filter.kind === 'any') {
    const spans = filter.parts.map((part) => spanOf(part, field, zone))
    const isOpen = (side: keyof Span) => spans.some((span) => span[side] === null)
    return {
      from: isOpen('from') ? null : spans.map(({ from }) => from).reduce(earliest, null),
      to: isOpen('to') ? null : spans.map(({ to }) => to).reduce(latest, null),
    }
  }
  if (filter.kind !== 'compare' || filter.field !== field) return { from: null, to: null }
  return spanOfComparison(filter.operator, dayOf(filter.value, zone))
}

function spanOfComparison(operator: Comparison, day: Temporal.PlainDate | null): Span {
  return {
    from: operator === '=' || operator.startsWith('>') ? day : null,
    to: operator === '=' || operator === '<' || operator === '<=' ? day : null,
  }
}

function dayOf(value: FilterValue, zone: string): Temporal.PlainDate | null {
  if (value.type === 'date') return value.value
  return value.type === 'moment' ? value.value.toZonedDateTimeISO(zone).toPlainDate() : null
}

type Day = Temporal.PlainDate | null

function latest(left: Day, right: Day): Day {
  if (!left || !right) return left ?? right
  return Temporal.PlainDate.compare(left, right) > 0 ? left : right
}

function earliest(left: Day, right: Day): Day {
  if (!left || !right) return left ?? right
  return Temporal.PlainDate.compare(left, right) < 0 ? left : right
}
