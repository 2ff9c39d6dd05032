import { factsOf } from '#capabilities/form-payments/form-facts.ts'
import {
  amountMostOf,
  parseExpiry,
  type Problem,
  type Problems,
  type SentFields,
} from '#capabilities/form-payments/read-submission.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { planWords } from '#capabilities/payer-words/plan-words.ts'
import { fill, moneyWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import { brandNames, cardBrandOf } from '#kernel/card-brand.ts'
import { printExpiry } from '#kernel/card-expiry.ts'
import { countryFrom } from '#kernel/country.ts'
import { postalRuleOf } from '#kernel/postal-code.ts'

// What is wrong with each field, in words, by its name.
export function problemWords(
  view: FormView,
  tongue: Tongue,
  { problems, sent }: { readonly problems: Problems; readonly sent: SentFields },
): ReadonlyMap<string, string> {
  const digits = (sent.get('number') ?? '').replace(/\D/g, '')
  const expiry = parseExpiry(sent.get('expiry') ?? '')
  const typed = { brand: brandNames[cardBrandOf(digits)], expiry: expiry ? printExpiry(expiry) : '' }
  const most = moneyWords(amountMostOf(factsOf(view), sent), tongue)
  const country = sent.get('country') ?? countryFrom(view.form.payer.country)
  const example = postalRuleOf(country)?.example ?? ''
  const blanks = { ...blanksOf(view, tongue), ...typed, most, example }
  const missing = view.form.plan ? { save_missing: planWords(tongue).missing } : {}
  const words = { ...tongue.words, ...missing }
  const sentence = (problem: Problem) => fill(words[problem], blanks)
  return new Map([...problems].map(([name, problem]) => [name, sentence(problem)]))
}

// Merchant, and the card networks that it takes.
export function blanksOf({ form, merchant }: FormView, { locale }: Tongue) {
  const others = new Intl.ListFormat(locale).format(form.brands.map((brand) => brandNames[brand]))
  return { merchant: merchant.name, others }
}
