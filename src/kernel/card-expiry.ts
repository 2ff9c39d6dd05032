// The last month in which a card is good.
export type CardExpiry = { readonly month: number; readonly year: number }

// Years may have two digits or four. null: no such month or year.
export function cardExpiry(month: number, year: number): CardExpiry | null {
  const full = year >= 0 && year < 100 ? 2000 + year : year
  const isWhole = Number.isInteger(month) && Number.isInteger(full)
  return isWhole && month >= 1 && month <= 12 && full >= 2000 && full <= 2099 ? { month, year: full } : null
}

// Good through the whole of its month, wherever the merchant is.
export function isExpiredOn(expiry: CardExpiry, today: Temporal.PlainDate): boolean {
  return expiry.year < today.year || (expiry.year === today.year && expiry.month < today.month)
}

export function lastDayOf({ month, year }: CardExpiry): Temporal.PlainDate {
  const first = Temporal.PlainYearMonth.from({ year, month })
  return first.toPlainDate({ day: first.daysInMonth })
}

// 08/27
export function printExpiry({ month, year }: CardExpiry): string {
  return `${String(month).padStart(2, '0')}/${String(year % 100).padStart(2, '0')}`
}
