// The days on which banks of the United States move no money: weekends, and the holidays of the Federal
// Reserve, by rule. Data as of November 2026; the operator's bank has the last word.
type Holiday =
  | { readonly name: string; readonly month: number; readonly day: number }
  // week -1 is the last one of the month; weekday 1 is Monday.
  | { readonly name: string; readonly month: number; readonly weekday: number; readonly week: number }

const bankHolidays: readonly Holiday[] = [
  { name: "New Year's Day", month: 1, day: 1 },
  { name: 'Martin Luther King Day', month: 1, weekday: 1, week: 3 },
  { name: "Presidents' Day", month: 2, weekday: 1, week: 3 },
  { name: 'Memorial Day', month: 5, weekday: 1, week: -1 },
  { name: 'Juneteenth', month: 6, day: 19 },
  { name: 'Independence Day', month: 7, day: 4 },
  { name: 'Labor Day', month: 9, weekday: 1, week: 1 },
  { name: 'Columbus Day', month: 10, weekday: 1, week: 2 },
  { name: 'Veterans Day', month: 11, day: 11 },
  { name: 'Thanksgiving', month: 11, weekday: 4, week: 4 },
  { name: 'Christmas', month: 12, day: 25 },
]

const saturday = 6
const sunday = 7

export function isBankingDay(date: Temporal.PlainDate): boolean {
  return date.dayOfWeek < saturday && !bankHolidays.some((holiday) => isKeptOn(holiday, date))
}

// A holiday on a Sunday is kept on the Monday after it; one on a Saturday is not kept at all.
function isKeptOn(holiday: Holiday, date: Temporal.PlainDate): boolean {
  const day = dayOf(holiday, date.year)
  return date.equals(day.dayOfWeek === sunday ? day.add({ days: 1 }) : day)
}

function dayOf(holiday: Holiday, year: number): Temporal.PlainDate {
  const { month } = holiday
  if ('day' in holiday) return Temporal.PlainDate.from({ year, month, day: holiday.day })
  const first = Temporal.PlainDate.from({ year, month, day: 1 })
  const toFirst = (holiday.weekday - first.dayOfWeek + 7) % 7
  if (holiday.week > 0) return first.add({ days: toFirst + 7 * (holiday.week - 1) })
  const last = first.add({ months: 1 }).subtract({ days: 1 })
  return last.subtract({ days: (last.dayOfWeek - holiday.weekday + 7) % 7 })
}

// The banking day so many banking days later; 0 is the day itself, or the next one on which banks work.
export function addBankingDays(date: Temporal.PlainDate, count: number): Temporal.PlainDate {
  let day = date
  while (!isBankingDay(day)) day = day.add({ days: 1 })
  for (let left = count; left > 0; left--) {
    day = day.add({ days: 1 })
    while (!isBankingDay(day)) day = day.add({ days: 1 })
  }
  return day
}
