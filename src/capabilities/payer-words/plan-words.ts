import type { Language } from '#capabilities/payer-words/language.ts'
import { dateWords, fill, moneyWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import type { Money } from '#kernel/money.ts'

const english = {
  WEEKLY: 'every week',
  BI_WEEKLY: 'every two weeks',
  TWICE_MONTHLY: 'twice a month',
  MONTHLY: 'every month',
  BI_MONTHLY: 'every two months',
  QUARTERLY: 'every three months',
  SEMI_ANNUALLY: 'every six months',
  ANNUALLY: 'every year',
  title: 'Regular payments to {merchant}',
  each: '{payment} {period}',
  once: '{payment} once',
  some: '{count} payments, {total} in all',
  some_last: '{count} payments, the last one {last}, {total} in all',
  endless: 'Until you end it',
  first_now: 'First payment now',
  first_on: 'First payment on {first}',
  last_on: 'last on {end}',
  now: 'now',
  on: 'on {first}',
  tick: 'I agree to these payments to {merchant}',
  terms: 'Your card is kept for them. End them any time.',
  one_agreement:
    'I allow {merchant} to keep this card and to charge it {payment} once, {begin}. I can end this before by telling {merchant}; my card number is then erased.',
  some_agreement:
    'I allow {merchant} to keep this card and to charge it {payment} {period}: {parts}, the first {begin}, the last on {end}. I can end this at any time by telling {merchant}; nothing more is then charged, and my card number is erased.',
  endless_agreement:
    'I allow {merchant} to keep this card and to charge it {payment} {period}, the first time {begin}, until I end it. I can do so at any time by telling {merchant}; nothing more is then charged, and my card number is erased.',
  button: 'Start payments',
  missing: 'Tick this to agree.',
  made: 'Your payments are set up',
  going_on:
    '{merchant} charges this card {payment} {period}, the next time on {next}. To end this, tell {merchant}.',
  going_on_until:
    '{merchant} charges this card {payment} {period}: {parts}. The next time is on {next}, the last on {end}. To end this before, tell {merchant}.',
  going_on_once: '{merchant} charges this card {payment} on {next}. To end this, tell {merchant}.',
}

type PlanWords = { readonly [Word in keyof typeof english]: string }

const spanish: PlanWords = {
  WEEKLY: 'cada semana',
  BI_WEEKLY: 'cada dos semanas',
  TWICE_MONTHLY: 'dos veces al mes',
  MONTHLY: 'cada mes',
  BI_MONTHLY: 'cada dos meses',
  QUARTERLY: 'cada tres meses',
  SEMI_ANNUALLY: 'cada seis meses',
  ANNUALLY: 'cada año',
  title: 'Pagos periódicos a {merchant}',
  each: '{payment} {period}',
  once: '{payment} una vez',
  some: '{count} pagos, {total} en total',
  some_last: '{count} pagos, el último de {last}, {total} en total',
  endless: 'Hasta que usted lo termine',
  first_now: 'Primer pago ahora',
  first_on: 'Primer pago el {first}',
  last_on: 'último el {end}',
  now: 'ahora',
  on: 'el {first}',
  tick: 'Acepto estos pagos a {merchant}',
  terms: 'Su tarjeta se guarda para ellos. Puede terminarlos cuando quiera.',
  one_agreement:
    'Permito que {merchant} guarde esta tarjeta y le cobre {payment} una vez, {begin}. Puedo terminarlo antes avisando a {merchant}; entonces se borra el número de mi tarjeta.',
  some_agreement:
    'Permito que {merchant} guarde esta tarjeta y le cobre {payment} {period}: {parts}, el primero {begin}, el último el {end}. Puedo terminarlo en cualquier momento avisando a {merchant}; entonces no se cobra nada más y se borra el número de mi tarjeta.',
  endless_agreement:
    'Permito que {merchant} guarde esta tarjeta y le cobre {payment} {period}, la primera vez {begin}, hasta que yo lo termine. Puedo hacerlo en cualquier momento avisando a {merchant}; entonces no se cobra nada más y se borra el número de mi tarjeta.',
  button: 'Iniciar pagos',
  missing: 'Marque esto para aceptar.',
  made: 'Sus pagos están programados',
  going_on:
    '{merchant} cobra {payment} {period} a esta tarjeta, la próxima vez el {next}. Para terminarlo, avise a {merchant}.',
  going_on_until:
    '{merchant} cobra {payment} {period} a esta tarjeta: {parts}. La próxima vez es el {next}, la última el {end}. Para terminarlo antes, avise a {merchant}.',
  going_on_once: '{merchant} cobra {payment} a esta tarjeta el {next}. Para terminarlo, avise a {merchant}.',
}

const french: PlanWords = {
  WEEKLY: 'chaque semaine',
  BI_WEEKLY: 'toutes les deux semaines',
  TWICE_MONTHLY: 'deux fois par mois',
  MONTHLY: 'chaque mois',
  BI_MONTHLY: 'tous les deux mois',
  QUARTERLY: 'tous les trois mois',
  SEMI_ANNUALLY: 'tous les six mois',
  ANNUALLY: 'chaque année',
  title: 'Paiements réguliers à {merchant}',
  each: '{payment} {period}',
  once: '{payment} une fois',
  some: '{count} paiements, {total} en tout',
  some_last: '{count} paiements, le dernier de {last}, {total} en tout',
  endless: 'Jusqu’à ce que vous y mettiez fin',
  first_now: 'Premier paiement maintenant',
  first_on: 'Premier paiement le {first}',
  last_on: 'dernier le {end}',
  now: 'maintenant',
  on: 'le {first}',
  tick: 'J’accepte ces paiements à {merchant}',
  terms: 'Votre carte est gardée pour eux. Vous pouvez y mettre fin à tout moment.',
  one_agreement:
    'J’autorise {merchant} à garder cette carte et à la débiter de {payment} une fois, {begin}. Je peux y mettre fin avant en informant {merchant} ; le numéro de ma carte est alors effacé.',
  some_agreement:
    'J’autorise {merchant} à garder cette carte et à la débiter de {payment} {period} : {parts}, le premier {begin}, le dernier le {end}. Je peux y mettre fin à tout moment en informant {merchant} ; rien de plus n’est alors débité, et le numéro de ma carte est effacé.',
  endless_agreement:
    'J’autorise {merchant} à garder cette carte et à la débiter de {payment} {period}, la première fois {begin}, jusqu’à ce que j’y mette fin. Je peux le faire à tout moment en informant {merchant} ; rien de plus n’est alors débité, et le numéro de ma carte est effacé.',
  button: 'Démarrer les paiements',
  missing: 'Cochez ceci pour accepter.',
  made: 'Vos paiements sont programmés',
  going_on:
    '{merchant} débite cette carte de {payment} {period}, la prochaine fois le {next}. Pour y mettre fin, informez {merchant}.',
  going_on_until:
    '{merchant} débite cette carte de {payment} {period} : {parts}. La prochaine fois est le {next}, la dernière le {end}. Pour y mettre fin avant, informez {merchant}.',
  going_on_once:
    '{merchant} débite cette carte de {payment} le {next}. Pour y mettre fin, informez {merchant}.',
}

const catalogues: Readonly<Record<Language, PlanWords>> = { en: english, es: spanish, fr: french }

export function planWords({ language }: Pick<Tongue, 'language'>): PlanWords {
  return catalogues[language]
}

type Period =
  | 'WEEKLY'
  | 'BI_WEEKLY'
  | 'TWICE_MONTHLY'
  | 'MONTHLY'
  | 'BI_MONTHLY'
  | 'QUARTERLY'
  | 'SEMI_ANNUALLY'
  | 'ANNUALLY'

// A payment plan that a payer agrees to.
export type AgreedPlan = {
  readonly period: Period
  // null: without an end.
  readonly payments: number | null
  readonly payment: Money
  // null: it is like all others.
  readonly last: Money | null
  readonly total: Money
  readonly isPaidNow: boolean
  readonly firstOn: Temporal.PlainDate
  readonly lastOn: Temporal.PlainDate | null
  // After the payer has agreed; null: nothing more is charged.
  readonly nextOn: Temporal.PlainDate | null
  readonly service: string
}

// What it is, line by line.
export function planLines(plan: AgreedPlan, tongue: Tongue): readonly string[] {
  const words = planWords(tongue)
  const blanks = blanksOf(plan, tongue)
  const first = fill(plan.isPaidNow ? words.first_now : words.first_on, blanks)
  if (plan.payments === 1) return [fill(words.once, blanks), first]
  const each = fill(words.each, blanks)
  if (plan.payments === null) return [each, words.endless, first]
  return [each, blanks.parts, `${first}, ${fill(words.last_on, blanks)}`]
}

// What a payer agrees to, word for word.
export function planAgreement(plan: AgreedPlan, merchant: string, tongue: Tongue): string {
  const words = planWords(tongue)
  const kind = plan.payments === null ? 'endless' : plan.payments === 1 ? 'one' : 'some'
  const sentence = words[`${kind}_agreement`]
  return fill(sentence, { ...blanksOf(plan, tongue), merchant })
}

// What goes on once the payer has agreed; empty where nothing does.
export function goingOnWords(plan: AgreedPlan, merchant: string, tongue: Tongue): string {
  if (!plan.nextOn) return ''
  const words = planWords(tongue)
  const several = plan.payments === null ? words.going_on : words.going_on_until
  const sentence = plan.payments === 1 ? words.going_on_once : several
  return fill(sentence, { ...blanksOf(plan, tongue), merchant, next: dateWords(plan.nextOn, tongue) })
}

function blanksOf(plan: AgreedPlan, tongue: Tongue) {
  const words = planWords(tongue)
  const { payments, payment, last, total, period, firstOn, lastOn, isPaidNow } = plan
  const first = dateWords(firstOn, tongue)
  const count = { count: String(payments ?? ''), total: moneyWords(total, tongue) }
  const parts = last
    ? fill(words.some_last, { ...count, last: moneyWords(last, tongue) })
    : fill(words.some, count)
  return {
    payment: moneyWords(payment, tongue),
    period: words[period],
    parts,
    first,
    begin: isPaidNow ? words.now : fill(words.on, { first }),
    end: lastOn ? dateWords(lastOn, tongue) : '',
  }
}
