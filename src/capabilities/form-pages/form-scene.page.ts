import type { MerchantShown, Shell } from '#capabilities/form-pages/form-shell.page.ts'
import type { FormPictures } from '#capabilities/forms/picture-file.ts'
import type { FormOptions } from '#capabilities/forms/form-options.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import { titleOf } from '#capabilities/form-pages/form-plan.page.ts'
import type { Tongue } from '#capabilities/payer-words/tongue.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Html } from '#kernel/html.ts'
import type { PayPage } from '#capabilities/form-pages/form-parts.page.ts'
import type { Problems, SentFields } from '#capabilities/form-payments/read-submission.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'

// What the transport knows beyond the form itself.
export type Scene = {
  readonly tongue: Tongue
  readonly assets: Shell['assets']
  // Of this form, with its token.
  readonly address: string
  // The same for another page of it: 'receipt', 'extend' and so on.
  readonly addressOf: (page: string) => string
  readonly pictures: FormPictures
  readonly isSandbox: boolean
  // The page travels over https.
  readonly isEncrypted: boolean
  readonly takesAch: boolean
  // Where the payer is sent after payment; null for nowhere.
  readonly redirect: string | null
  // The payer does not want to be sent there without asking, or has been sent there once.
  readonly stays: boolean
  // What the page that embeds this one is told after payment.
  readonly message: string
  readonly added?: Added
}

// What stands on the page beyond the form itself.
export type Added = {
  // Below the sum: what is paid for, until when, and a message.
  readonly about: Html
  readonly onFile: PayPage['onFile']
  // What paying with the card on file costs, for script; null where that is not known yet.
  readonly onFileQuote: object | null
}

// What a payer without script has just sent.
export type Typed = {
  readonly sent: SentFields
  readonly problems: Problems
  readonly alert: PayPage['alert']
}

type Showing = {
  readonly merchant: Merchant
  readonly phone: string
  readonly pictures: FormPictures
  readonly look: Pick<FormOptions, 'showsLogos'>
}

// The logo stands where eVisible shows logos.
export function merchantShown({ merchant, phone, pictures, look }: Showing): MerchantShown {
  const logo = look.showsLogos ? pictures.logo : null
  return { name: merchant.name, place: merchant.location, phone, logo, favicon: pictures.favicon }
}

export function shellOf({ form, merchant }: FormView, scene: Scene, changes: Partial<Shell> = {}): Shell {
  const options = formOptions(form)
  return {
    tongue: scene.tongue,
    title: titleOf({ form, merchant }, scene.tongue),
    assets: scene.assets,
    theme: form.colors === '' ? '' : `/PayForm/theme/${form.colors}.css`,
    look: options.look,
    merchant: merchantShown({ merchant, phone: form.phone, pictures: scene.pictures, look: options }),
    address: scene.address,
    isSandbox: scene.isSandbox,
    facts: { origins: form.origins },
    goesOn: null,
    ...changes,
  }
}
