import { askState, type State, stateBy } from './form-state.ts'
import { facts, find, keyField, post, words } from './page-facts.ts'
import { isIdle, isUnderWay } from './paying.ts'
import { reload } from './reload.ts'

let endsAtMs = performance.now() + (facts.secondsLeft ?? 0) * 1_000
let isExtended = facts.extend === ''

// Who comes back to a tab is told of twice.
let isLooking = false

export async function lookAgain(): Promise<void> {
  if (isLooking || isUnderWay() || !facts.state) return
  isLooking = true
  const state = await askState(facts.state)
  // Where nobody answers any more, the next look goes on.
  if (state && state.standing !== 'open') await reload(isIdle)
  isLooking = false
  if (!state || state.standing !== 'open' || isUnderWay()) return
  keepTime(state)
  if (keyField && state.k !== keyField.value) keyField.value = state.k
}

function keepTime(state: State): void {
  endsAtMs = performance.now() + state.secondsLeft * 1_000
  isExtended = state.isExtended
}

// Nothing but the wish is sent, and what was typed stays.
export async function askForTime(): Promise<void> {
  const state = await stateBy(post(facts.extend ?? '', new URLSearchParams()))
  if (state) keepTime(state)
  watchTime()
}

export function watchTime(): void {
  const leftMs = endsAtMs - performance.now()
  if (leftMs <= 0) return void lookAgain()
  const note = find('time')
  if (!note) return
  const minutes = Math.ceil(leftMs / 60_000)
  note.hidden = isExtended || minutes > 5
  const text = note.querySelector('span')
  const sentence =
    minutes === 1 ? words('more_time_one') : words('more_time_text').replace('{minutes}', String(minutes))
  if (text && !note.hidden && text.textContent !== sentence) text.textContent = sentence
}

export async function waitForOutcome(address: string): Promise<void> {
  for (let waitMs = 2_000; ; waitMs = Math.min(10_000, waitMs * 1.3)) {
    await new Promise((go) => setTimeout(go, waitMs))
    const state = await askState(address)
    if (state && state.standing !== 'paying' && (await reload())) return
  }
}
