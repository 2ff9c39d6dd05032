import { find, sayBusy, words } from './page-facts.ts'
import { tellHeight } from './parent-page.ts'

// Whoever waits for a bank is told so, and after ten seconds not to pay again.

const talkingAfterMs = 3_000
const askingAfterMs = 10_000
const asking = find('asking')
let timers: readonly ReturnType<typeof setTimeout>[] = []

export function beginWaiting(): void {
  clearTimers()
  timers = [
    setTimeout(() => sayBusy(words('talking')), talkingAfterMs),
    setTimeout(sayStillAsking, askingAfterMs),
  ]
}

export function endWaiting(): void {
  clearTimers()
  if (!asking || asking.hidden) return
  asking.hidden = true
  tellHeight()
}

function clearTimers(): void {
  for (const timer of timers) clearTimeout(timer)
}

// Takes the place of what was sent, which comes back if the bank says no.
function sayStillAsking(): void {
  if (!asking) return
  asking.hidden = false
  find('asking-title')?.focus()
  window.scrollTo({ top: 0 })
  tellHeight()
}
