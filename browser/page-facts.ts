// What the server has written into the page for us, and how we find our way in it.

type Facts = {
  readonly origins?: readonly string[]
  readonly state?: string
  readonly fee?: string
  // Of the card on file: whether its code has four digits, and what paying with it costs.
  readonly amex?: boolean
  readonly onFile?: Quote | null
  readonly extend?: string
  readonly pending?: string
  readonly message?: string
  // Whether the page that embeds this one gets errors, and the one of this page.
  readonly tells?: boolean
  readonly problem?: string
  readonly secondsLeft?: number
  readonly locale?: string
  readonly currency?: string
  readonly digits?: number
  // By country: what its postal code is called, how it looks, and one of them. Others have the empty name.
  readonly postal?: Readonly<Record<string, readonly string[]>>
  readonly states?: string
  readonly provinces?: string
  readonly brands?: readonly string[]
  readonly today?: string
  readonly words?: Readonly<Record<string, string>>
}

export type Quote = {
  readonly base: string
  // What the fee is called, with its rate where it has one.
  readonly feeLabel: string
  readonly fee: string
  readonly total: string
  readonly minor: string
  readonly hasFee: boolean
}

export const facts: Facts = JSON.parse(document.querySelector('#facts')?.textContent ?? '{}')
export const words = (name: string): string => facts.words?.[name] ?? ''
export const isFramed = window.parent !== window

export const find = (id: string): HTMLElement | null => document.querySelector<HTMLElement>(`#${id}`)
export const input = (name: string): HTMLInputElement | null =>
  document.querySelector<HTMLInputElement>(`#f-${name}`)
export const digitsOf = (text: string): string => text.replace(/\D/g, '')

export const money = (amount: string): string => {
  const digits = facts.digits ?? 2
  const style = {
    style: 'currency',
    currency: facts.currency ?? 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const
  return new Intl.NumberFormat(facts.locale, style).format(Number(amount))
}
export const minorOf = (amount: string): string => {
  const [whole = '0', cents = ''] = amount.split('.')
  return BigInt(whole + cents.padEnd(facts.digits ?? 2, '0')).toString()
}

export const form = document.querySelector<HTMLFormElement>('#form')
export const payText = find('pay-text')

// On the button, and for those who hear the page: while it pays, nothing else of it is announced.
export function sayBusy(word: string): void {
  const status = find('status')
  if (status) status.textContent = word
  if (payText && word !== '') payText.textContent = word
}
export const totalField = form?.querySelector<HTMLInputElement>('input[name=total]') ?? null
export const keyField = form?.querySelector<HTMLInputElement>('input[name=k]') ?? null
export const proofField = form?.querySelector<HTMLInputElement>('input[name=proof]') ?? null
export const baseText = find('sum')?.textContent ?? ''
export const baseMinor = totalField?.value ?? '0'

export const post = (address: string, body: URLSearchParams): Promise<Response> =>
  fetch(address, {
    method: 'POST',
    body,
    headers: { accept: 'application/json' },
    credentials: 'same-origin',
    redirect: 'error',
  })
