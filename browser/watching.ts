import { facts, find, keyField, words } from './page-facts.ts'
import { isUnderWay, reload } from './paying.ts'

type State = { readonly standing: string; readonly k: string; readonly secondsLeft: number }
let endsAtMs = performance.now() + (facts.secondsLeft ?? 0) * 1_000

export async function lookAgain(): Promise<void> {
  if (isUnderWay() || !facts.state) return
  const answer = await fetch(facts.state, { credentials: 'same-origin' }).catch(() => null)
  if (!answer || isUnderWay()) return
  const state: State = await answer.json()
  if (state.standing !== 'open') return reload()
  endsAtMs = performance.now() + state.secondsLeft * 1_000
  if (keyField && state.k !== keyField.value) keyField.value = state.k
}

export function watchTime(): void {
  const leftMs = endsAtMs - performance.now()
  if (leftMs <= 0) return void lookAgain()
  const note = find('time')
  const isClose = leftMs < 300_000 && facts.extend !== ''
  if (!note || note.hidden === !isClose) return
  const text = note.querySelector('span')
  if (text)
    text.textContent = words('more_time_text').replace('{minutes}', String(Math.ceil(leftMs / 60_000)))
  note.hidden = !isClose
}

export async function waitForOutcome(address: string): Promise<void> {
  document.querySelector('meta[http-equiv=refresh]')?.remove()
  for (let waitMs = 2_000; ; waitMs = Math.min(10_000, waitMs * 1.3)) {
    await new Promise((go) => setTimeout(go, waitMs))
    const answer = await fetch(address, { credentials: 'same-origin' }).catch(() => null)
    const state: State | null = answer ? await answer.json() : null
    if (state && state.standing !== 'paying') return reload()
  }
}
