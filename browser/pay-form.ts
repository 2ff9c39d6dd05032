// Enhances the hosted form. Everything that matters is decided by the server; without this file the form
// works all the same. Nothing is kept in the browser, and nothing leaves our origin but messages to pages
// that the merchant has registered.

import { askFee, showTotal } from './fee-line.ts'
import { checks, printExpiry, readExpiry, tell } from './field-checks.ts'
import { fitFrames } from './frames.ts'
import { digitsOf, facts, find, form, input, isFramed, words } from './page-facts.ts'
import { tellHeight, tellParent, tellProblem } from './parent-page.ts'
import { watchCountry } from './place.ts'
import { countProblems, isIdle, submit, watchChallenges } from './paying.ts'
import { reload } from './reload.ts'
import { groupNumber, regroup, showBrand } from './typing.ts'
import { askForTime, lookAgain, waitForOutcome, watchTime } from './watching.ts'

function enhance(page: HTMLFormElement): void {
  page.noValidate = true
  page.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit()
  })
  for (const name of Object.keys(checks)) watchField(name)
  watchCountry(() => {
    const zip = input('zip')?.value ?? ''
    tell('zip', zip === '' ? '' : (checks['zip']?.(zip) ?? ''))
  })
  for (const name of ['save', 'agree']) input(name)?.addEventListener('change', () => tell(name, ''))
  for (const choice of document.querySelectorAll('input[name=method]'))
    choice.addEventListener('change', showTotal)
  find('more-time')?.addEventListener('click', () => void askForTime())
  find('to-bank')?.addEventListener('click', () => {
    find('m-bank')?.click()
    input('routing')?.focus()
  })
  for (const button of document.querySelectorAll<HTMLElement>('.tests button'))
    button.addEventListener('click', () => fillTest(button.dataset))
  document.addEventListener(
    'visibilitychange',
    () => document.visibilityState === 'visible' && void lookAgain(),
  )
  // Also where it was in sight beside another window.
  window.addEventListener('focus', () => void lookAgain())
  window.addEventListener('pageshow', (event) => event.persisted && void reload(isIdle))
  measureBar()
  setInterval(watchTime, 5_000)
  watchTime()
  showBrand(digitsOf(input('number')?.value ?? ''))
  void askFee()
}

// The style keeps what has the focus above it, and its lines come and go.
function measureBar(): void {
  const bar = document.querySelector<HTMLElement>('.bar')
  const tellStyle = (): void =>
    document.documentElement.style.setProperty('--bar', `${bar?.offsetHeight ?? 0}px`)
  if (bar) new ResizeObserver(tellStyle).observe(bar)
}

function watchField(name: string): void {
  const box = input(name)
  const check = checks[name]
  if (!box || !check) return
  box.addEventListener('input', () => {
    if (name === 'number') {
      regroup(box, groupNumber)
      showBrand(digitsOf(box.value))
    }
    if (name === 'number' || name === 'amount') void askFee()
    const problem = check(box.value)
    const isWholeAndWrong = name === 'number' && problem === words('number_wrong')
    if (problem === '' || isWholeAndWrong) tell(name, problem)
    if (!find('e-form')?.hidden) countProblems()
  })
  box.addEventListener('blur', () => {
    if (name === 'expiry') {
      const expiry = readExpiry(box.value)
      if (expiry) box.value = printExpiry(expiry)
    }
    // Asks again where nobody has answered.
    if (name === 'number') void askFee()
    if (box.value.trim() !== '') tell(name, check(box.value))
  })
}

// Where the payer has chosen another way to pay, what is filled in would be out of sight.
function fillTest({ card, account }: DOMStringMap): void {
  find(account ? 'm-bank' : 'm-card')?.click()
  const values = account
    ? { routing: '110000000', account, zip: '62701' }
    : { number: groupNumber(card ?? ''), expiry: '12/30', code: '123', zip: '62701' }
  for (const [name, value] of Object.entries(values)) {
    const box = input(name)
    if (!box) continue
    box.value = value
    box.dispatchEvent(new Event('input'))
  }
}

if (isFramed) {
  document.documentElement.classList.add('framed')
  window.addEventListener('message', ({ data, origin, source }: MessageEvent<unknown>) => {
    const isParent = source === window.parent && facts.origins?.includes(origin)
    if (data === 'tillgate:submit' && isParent) void submit()
  })
  new ResizeObserver(tellHeight).observe(document.documentElement)
}
if (form) enhance(form)
watchChallenges()
fitFrames()
if (facts.pending) void waitForOutcome(facts.pending)
if (facts.message) tellParent(facts.message)
if (facts.problem) tellProblem(facts.problem)
// Whoever was sent here is told first what came of it.
document.querySelector<HTMLElement>('#notice h1, #alert:not([hidden])')?.focus()
