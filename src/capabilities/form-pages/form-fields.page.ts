import { icon } from '#capabilities/form-pages/form-icons.page.ts'
import type { Words } from '#capabilities/payer-words/tongue.ts'
import { type Html, html } from '#kernel/html.ts'

export type FieldView = {
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly help?: string
  readonly problem?: string
  readonly isOptional?: boolean
  readonly kind?: string
  // Fixed words of ours: autocomplete, inputmode and the like.
  readonly attributes?: Readonly<Record<string, string>>
  readonly after?: Html
}

export type FieldStyle = { readonly words: Words; readonly marksRequired: boolean }

// A box with a visible label. Help and error are told by aria-describedby; the room of the error line is
// kept, so that nothing jumps.
export function fieldOf(field: FieldView, { words, marksRequired }: FieldStyle): Html {
  const { name, label, value = '', help = '', problem = '', isOptional = false, kind = '', after } = field
  const attributes = Object.entries(field.attributes ?? {}).map(([key, text]) => html` ${key}="${text}"`)
  const mark = isOptional
    ? html` <i>${words.optional}</i>`
    : marksRequired
      ? html`\u00a0<b class="must">*</b>`
      : ''
  const invalid = problem === '' ? '' : html` aria-invalid="true"`
  const must = isOptional ? '' : html` aria-required="true"`
  return html`<div class="field ${kind}" data-field="${name}">
<label for="f-${name}">${label}${mark}</label>
<div class="box"><input id="f-${name}" name="${name}" value="${value}" placeholder=" "
aria-describedby="h-${name} e-${name}"${must}${invalid}${attributes}>${after ?? ''}</div>
<p class="help" id="h-${name}">${help}</p>
${errorOf(name, problem)}
</div>
`
}

export function errorOf(name: string, problem: string): Html {
  return html`<p class="error"
id="e-${name}"${problem === '' ? html` hidden` : ''}>${icon('wrong', 'small')}<span>${problem}</span></p>`
}

type Select = {
  readonly name: string
  readonly label: Html | string
  readonly select: Html
  readonly problem: string | undefined
}

// A choice of many. It has no help, and an error only where no script keeps it right.
export function selectOf({ name, label, select, problem = '' }: Select): Html {
  return html`<div class="field" data-field="${name}"><label for="f-${name}">${label}</label><div
class="box">${select}</div>${errorOf(name, problem)}</div>
`
}

// What was fixed by the merchant is text, not a grey box.
export function fixedOf(label: string, value: string): Html {
  return html`<div class="fixed"><span>${label}</span><b>${value}</b></div>`
}

type Tick = {
  readonly name: string
  readonly label: string
  // What is sent if it is ticked.
  readonly value?: string
  readonly isTicked: boolean
  readonly problem: string
  readonly more?: Html
}

export function tickOf({ name, label, value = '1', isTicked, problem, more }: Tick): Html {
  const ticked = isTicked ? html` checked` : ''
  const invalid = problem === '' ? '' : html` aria-invalid="true"`
  return html`<div class="field tick" data-field="${name}">
<label><input type="checkbox" id="f-${name}" name="${name}" value="${value}"
aria-describedby="e-${name}"${ticked}${invalid}><span>${label}</span></label>
${errorOf(name, problem)}
${more ?? ''}
</div>
`
}
