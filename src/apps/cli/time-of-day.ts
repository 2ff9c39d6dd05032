import { Complaint } from '#apps/complaint.ts'

// Minutes since midnight, from 9:00 or 09:00.
export function minuteFrom(text: string): number {
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text)
  if (!match) throw new Complaint(`${text} is no time of day such as 23:30.`)
  return Number(match[1]) * 60 + Number(match[2])
}

export function timeText(minutes: number): string {
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
