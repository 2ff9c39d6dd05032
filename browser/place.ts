import { facts, find } from './page-facts.ts'

// What the chosen country makes of postal code and state. The style hides what it does not have.

const country = document.querySelector<HTMLSelectElement>('#f-country')
const states = document.querySelector<HTMLSelectElement>('#f-state')
const groups = [...(states?.querySelectorAll('optgroup') ?? [])]

type PostalRule = { readonly label: string; readonly pattern: string; readonly example: string }

export function postalRule(): PostalRule {
  const [label = '', pattern = '', example = ''] =
    facts.postal?.[country?.value ?? ''] ?? facts.postal?.[''] ?? []
  return { label, pattern, example }
}

function showPlace(): void {
  const { label, pattern } = postalRule()
  rename('zip', label)
  rename('state', (country?.value === 'CA' ? facts.provinces : facts.states) ?? '')
  const digits = /\[|p/.test(pattern) ? 'text' : 'numeric'
  find('f-zip')?.setAttribute('inputmode', digits)
  const mine = groups.find(({ dataset }) => dataset['of'] === country?.value)
  for (const group of groups) if (group !== mine) group.remove()
  if (mine && states) states.append(mine)
}

function rename(name: string, label: string): void {
  const text = document.querySelector(`label[for=f-${name}]`)?.firstChild
  // What follows, such as the mark of a field that must be filled in, stands one blank behind.
  const whole = text instanceof Text && text.nextSibling ? `${label}\u00a0` : label
  if (text && label !== '' && text.textContent?.trim() !== label) text.textContent = whole
}

export function watchCountry(changed: () => void): void {
  if (!country) return
  showPlace()
  country.addEventListener('change', () => {
    showPlace()
    if (states) states.value = ''
    changed()
  })
}
