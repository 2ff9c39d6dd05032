import { find, form, keyField, post } from './page-facts.ts'
import { tellHeight } from './parent-page.ts'
import { isAnswered } from './reload.ts'
import { beginWaiting } from './waiting.ts'

// The payer's bank asks inside a frame of ours. When it sends the payer back, we go on.

export type Challenge = { readonly address?: string; readonly sealed?: string; readonly isAgain?: boolean }
type Hearing = (answer: Response) => Promise<void>

const check = find('check')
const frame = document.querySelector<HTMLIFrameElement>('#bank')
const bankForm = document.querySelector<HTMLFormElement>('#bank-form')
let isGoingOn = false

export const isAtBank = (): boolean => check !== null && !check.hidden

export function showBank({ address = '', sealed = '', isAgain = false }: Challenge): void {
  find('bank-again')?.toggleAttribute('hidden', !isAgain)
  const field = bankForm?.querySelector<HTMLInputElement>('input[name=challenge]')
  if (field) field.value = sealed
  if (!isAgain && frame) frame.src = address
  showForm(false)
  find('check-title')?.focus()
}

export function hideBank(): void {
  if (!isAtBank()) return
  if (frame) frame.src = 'about:blank'
  showForm(true)
}

function showForm(isShown: boolean): void {
  if (form) form.hidden = !isShown
  if (check) check.hidden = isShown
  window.scrollTo({ top: 0 })
  tellHeight()
}

// On the page that has nothing but the check, this leads away from it; the payer's own button stays.
async function goOnByItself(page: HTMLFormElement): Promise<void> {
  if (check || (await isAnswered(page.action))) page.requestSubmit()
}

export function watchBank(hear: Hearing, lost: () => Promise<void>): void {
  if (!bankForm) return
  const goOn = async (leave: boolean): Promise<void> => {
    if (isGoingOn) return
    isGoingOn = true
    bankForm.classList.add('busy')
    beginWaiting()
    const body = new URLSearchParams({ k: keyField?.value ?? '', ...(leave ? { leave: '1' } : {}) })
    body.set('challenge', bankForm.querySelector<HTMLInputElement>('input[name=challenge]')?.value ?? '')
    try {
      await hear(await post(bankForm.action, body))
    } catch {
      await lost()
    } finally {
      isGoingOn = false
      bankForm.classList.remove('busy')
    }
  }
  bankForm.addEventListener('submit', (event) => {
    if (!check) return
    event.preventDefault()
    void goOn(event.submitter?.getAttribute('name') === 'leave')
  })
  window.addEventListener('message', ({ data, origin, source }: MessageEvent<unknown>) => {
    const isBack = data === 'tillgate:back' && origin === location.origin && source === frame?.contentWindow
    if (isBack) void goOnByItself(bankForm)
  })
}
