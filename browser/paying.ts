import { type Challenge, hideBank, isAtBank, showBank, watchBank } from './bank-check.ts'
import { showTotal, setQuote } from './fee-line.ts'
import { isShown, problemsNow, tell } from './field-checks.ts'
import { askState, type State } from './form-state.ts'
import {
  facts,
  find,
  form,
  input,
  keyField,
  post,
  proofField,
  type Quote,
  sayBusy,
  words,
} from './page-facts.ts'
import { tellHeight, tellProblem } from './parent-page.ts'
import { reload } from './reload.ts'
import { beginWaiting, endWaiting } from './waiting.ts'

type Answer = {
  readonly kind: string
  readonly problems?: Readonly<Record<string, string>>
  readonly title?: string
  readonly text?: string
  readonly k?: string
  readonly quote?: Quote
  readonly puzzle?: { readonly text: string; readonly bits: number }
} & Challenge

// Nothing is paid here.
const saves = (): boolean => form?.dataset['saves'] === '1'
let isPaying = false
// The payer at the bank is paying, too.
export const isUnderWay = (): boolean => isPaying || isAtBank()
export const isIdle = (): boolean => !isUnderWay()

function setBusy(word: string): void {
  isPaying = word !== ''
  if (!isPaying) endWaiting()
  form?.classList.toggle('busy', isPaying)
  form?.setAttribute('aria-busy', String(isPaying))
  for (const part of document.querySelectorAll<HTMLElement>('.part, .field, .methods')) part.inert = isPaying
  sayBusy(word)
  if (!isPaying) showTotal()
}

const setBusyPaying = (): void => setBusy(words(saves() ? 'saving' : 'paying'))

function alertWith(title: string, text: string): void {
  const alert = find('alert')
  if (!alert) return
  const [head, body] = [alert.querySelector('b'), alert.querySelector('p')]
  if (head) head.textContent = title
  if (body) body.textContent = text
  alert.hidden = false
  alert.focus()
  tellHeight()
}

function tellProblems(problems: ReadonlyMap<string, string>): void {
  for (const [name, problem] of problems) tell(name, problem)
  countProblems()
  const first = [...document.querySelectorAll<HTMLElement>('[aria-invalid=true]')].find(isShown)
  first?.focus()
}

// "2 things to fix", and fewer as they are mended.
export function countProblems(): void {
  const count = [...document.querySelectorAll<HTMLElement>('[aria-invalid=true]')].filter(isShown).length
  const line = find('e-form')
  const text = line?.querySelector('span')
  if (!line || !text) return
  text.textContent = count === 1 ? words('things_one') : words('things').replace('{count}', String(count))
  line.hidden = count === 0
  line.setAttribute('role', 'status')
}

export async function submit(): Promise<void> {
  if (!form || isUnderWay()) return
  const problems = problemsNow()
  tellProblems(problems)
  if (problems.size > 0) return
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') body.append(name, value)
  const alert = find('alert')
  if (alert) alert.hidden = true
  setBusyPaying()
  beginWaiting()
  try {
    await hear(await told(await post(form.action, body)))
  } catch {
    await lostConnection()
  }
}

// What is no answer of ours, such as a page of a proxy, says nothing about the payment.
async function told(answer: Response): Promise<Answer> {
  return answer.json()
}

export function watchChallenges(): void {
  watchBank(async (answer) => hear(await told(answer)), lostConnection)
}

async function hear(answer: Answer): Promise<void> {
  if (answer.k && keyField) keyField.value = answer.k
  if (!form) return showOutcome()
  switch (answer.kind) {
    case 'problems':
      setBusy('')
      return tellProblems(new Map(Object.entries(answer.problems ?? {})))
    case 'review':
      setQuote(answer.quote ?? null)
      setBusy('')
      return alertWith(words('review'), answer.text ?? '')
    case 'declined':
    case 'blocked':
      hideBank()
      return sayDeclined(answer.title ?? '', answer.text ?? '')
    case 'stale': {
      // A title comes where the form can still be paid: with the key of now, by the same button.
      if (answer.title === undefined) return showOutcome()
      hideBank()
      setBusy('')
      return alertWith(answer.title, answer.text ?? '')
    }
    case 'challenge':
      setBusy('')
      return showBank(answer)
    case 'puzzle': {
      sayBusy(words('working'))
      if (answer.puzzle && proofField) proofField.value = await solve(answer.puzzle.text, answer.puzzle.bits)
      isPaying = false
      return submit()
    }
    default:
      return showOutcome()
  }
}

// A gateway that stops still answers who waits, and nobody after that.
async function showOutcome(): Promise<void> {
  if (!(await reload())) await lostConnection()
}

function sayDeclined(title: string, text: string): void {
  setBusy('')
  for (const code of [input('code'), input('fileCode')]) if (code) code.value = ''
  alertWith(title, text)
  tellProblem(title)
}

// Whether the payment went through only the server knows, so it is asked until it answers. Until then nothing
// can be pressed, also by who comes back from the bank.
async function lostConnection(): Promise<void> {
  endWaiting()
  hideBank()
  setBusyPaying()
  alertWith(words('offline'), words(saves() ? 'offline_save_text' : 'offline_text'))
  let isSeenOpen = false
  for (let waitMs = 1_000; ; waitMs = Math.min(10_000, waitMs * 1.5)) {
    await new Promise((go) => setTimeout(go, waitMs))
    const state = await askState(facts.state ?? '')
    if (!state) continue
    if (state.standing !== 'open' || state.k === '') {
      if (await reload()) return
      continue
    }
    // Another key says that it was tried.
    if (state.k !== keyField?.value) return sayNotCharged(state)
    if (isSeenOpen) return sayNotArrived()
    isSeenOpen = true
  }
}

// As the lost answer would have said it. What was typed stays, and the same button tries again.
function sayNotCharged({ k, declined }: State): Promise<void> {
  if (keyField) keyField.value = k
  const { title, text } = declined ?? {
    title: words(saves() ? 'not_saved' : 'not_paid'),
    text: words('not_paid_text'),
  }
  sayDeclined(title, text)
  return lookOut()
}

function sayNotArrived(): Promise<void> {
  setBusy('')
  alertWith(words('offline'), words('not_arrived_text'))
  return lookOut()
}

// What was sent may still be on its way, so it is looked for until the payer tries again or leaves.
async function lookOut(): Promise<void> {
  for (;;) {
    await new Promise((go) => setTimeout(go, 5_000))
    const state = await askState(facts.state ?? '')
    if (isUnderWay()) return
    if (!state) continue
    if (state.standing !== 'open') {
      if (await reload(isIdle)) return
      continue
    }
    // Only who made the try is told of its decline: whatever another tries on the form, this payer types on.
    if (state.k !== keyField?.value && state.declined) return sayNotCharged(state)
  }
}

// A number that makes the digest begin with so many zero bits: a second of work, once.
async function solve(text: string, bits: number): Promise<string> {
  const encoder = new TextEncoder()
  for (let from = 0; ; from += 512) {
    const digests = await Promise.all(
      Array.from({ length: 512 }, (_, at) =>
        crypto.subtle.digest('SHA-256', encoder.encode(`${text}:${from + at}`)),
      ),
    )
    const hit = digests.findIndex((digest) => new DataView(digest).getUint32(0) >>> (32 - bits) === 0)
    if (hit >= 0) return String(from + hit)
  }
}
