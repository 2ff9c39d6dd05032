import { fieldOf } from '#capabilities/form-pages/form-fields.page.ts'
import { type Notice, noticePage } from '#capabilities/form-pages/form-ends.page.ts'
import { icon } from '#capabilities/form-pages/form-icons.page.ts'
import type { FormPictures } from '#capabilities/forms/picture-file.ts'
import { optionsOf } from '#capabilities/forms/form-options.ts'
import { merchantShown, type Scene } from '#capabilities/form-pages/form-scene.page.ts'
import { formShell, type Shell } from '#capabilities/form-pages/form-shell.page.ts'
import { wordsOnPage, type TextFacts } from '#capabilities/links/link-text.ts'
import { linkWords, type LinkWords } from '#capabilities/links/link-words.ts'
import { answersMax, type Link, type LinkStanding } from '#capabilities/links/link.ts'
import type { LinkView } from '#capabilities/links/show-link.operation.ts'
import { fill, timeWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { type Html, html } from '#kernel/html.ts'

export type LinkScene = Pick<Scene, 'tongue' | 'assets' | 'isSandbox' | 'address'> & {
  readonly pictures: FormPictures
}

// What is paid for, beside the form: first name at most, when it is due, and the merchant's own words as
// plain text.
export function aboutLink({ link, merchant, now }: LinkView, tongue: Tongue, facts: TextFacts): Html {
  const words = linkWords[tongue.language]
  const message = wordsOnPage(link.body, facts)
  const { firstName } = link.payer
  const today = dateIn(merchant.timeZone, now)
  const due = link.dueOn ? fill(words.due, { date: dueWords(link.dueOn, today, tongue) }) : ''
  const until = fill(words.good_until, { time: timeWords(link.expiresAt, merchant.timeZone, tongue) })
  return html`${due === '' ? '' : html`<p class="about due">${due}</p>`}
${
  message === '' && firstName === ''
    ? ''
    : html`<div class="message">${
        firstName === '' ? '' : html`<p><b>${fill(words.hello, { name: firstName })}</b></p>`
      }${linesOf(message)}</div>`
}
<p class="about">${until}</p>
<p class="about">${notYou(link, merchant.name, words)}</p>`
}

function notYou({ phone }: Link, merchant: string, { not_you: words }: LinkWords): Html {
  const call = phone === '' ? '' : html` <a href="tel:${phone.replace(/[^+\d]/g, '')}">${phone}</a>`
  return html`${fill(words, { merchant })}${call}`
}

const nearDays = 60

// Fri, Nov 20 (in 5 days)
function dueWords(due: Temporal.PlainDate, today: Temporal.PlainDate, { locale }: Tongue): string {
  const year = due.year === today.year ? {} : ({ year: 'numeric' } as const)
  const day = due.toLocaleString(locale, { weekday: 'short', month: 'short', day: 'numeric', ...year })
  const { days } = today.until(due, { largestUnit: 'days' })
  if (Math.abs(days) > nearDays) return day
  return `${day} (${new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')})`
}

function linesOf(text: string): readonly Html[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => html`<p>${line}</p>`)
}

// Asked before anything else is shown: no amount, no name, no service.
export function questionsPage(view: LinkView, scene: LinkScene, asked: Asked): Html {
  const { tongue } = scene
  const words = linkWords[tongue.language]
  const { link, merchant } = view
  const left = String(answersMax - link.wrongAnswers)
  const style = { words: tongue.words, marksRequired: false }
  const attributes = { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', maxlength: '200' }
  const fields = link.questions.map(({ question }, at) =>
    fieldOf({ name: `answer${at + 1}`, label: question, attributes: { ...attributes, required: '' } }, style),
  )
  const main = html`<main class="asking">
<form class="card" method="post" action="${asked.action}" autocomplete="off">
<h1>${words.first}</h1>
<p class="help">${fill(words.first_text, { merchant: merchant.name })}</p>
${
  asked.isWrong
    ? html`<div class="alert" id="alert" role="alert" tabindex="-1">${icon('wrong', 'small')}
<div><b>${words.wrong}</b><p>${fill(words.wrong_text, { left })}</p></div></div>`
    : ''
}
${fields}
<p class="actions"><button class="pay" type="submit"><span>${words.go_on}</span></button></p>
</form>
</main>`
  return formShell(shellOfLink(view, scene, words.first), main)
}

export type Asked = { readonly action: string; readonly isWrong: boolean }

type Over = {
  readonly standing: Exclude<LinkStanding, 'open'>
  // It is certain that this visit cost nothing.
  readonly isUncharged: boolean
  // Where the script asks what has become of it.
  readonly askAt: string
}

const pendingSeconds = 5

// What, since when, and that nothing was charged where that is certain. Nothing of what was to be paid, so
// that whoever has not answered the questions may see it.
export function overPage(view: LinkView, scene: LinkScene, { standing, isUncharged, askAt }: Over): Html {
  const { tongue, address } = scene
  const { link, merchant } = view
  const moment = standing === 'expired' ? link.expiresAt : (link.endedAt ?? link.expiresAt)
  const time = timeWords(moment, merchant.timeZone, tongue)
  const [title, sentence] = overWords(link, standing, tongue)
  const told = fill(sentence, { merchant: merchant.name, time })
  const text = isUncharged ? `${told} ${linkWords[tongue.language].uncharged}` : told
  const notice = { sign: signs[standing], title, text, reference: '' }
  const shell = shellOfLink(view, scene, title)
  if (standing !== 'paying') return formShell(shell, noticePage(notice, tongue))
  const action = { href: address, label: tongue.words.look_again }
  const goesOn = { seconds: pendingSeconds, to: address, isLeftToScript: true }
  return formShell({ ...shell, goesOn, facts: { pending: askAt } }, noticePage({ ...notice, action }, tongue))
}

const signs: Readonly<Record<Over['standing'], Notice['sign']>> = {
  paying: 'asking',
  paid: 'check',
  expired: 'clock',
  withdrawn: 'attention',
  locked: 'attention',
  closed: 'attention',
}

function overWords({ isLocked }: Link, standing: Over['standing'], { language, words: formWords }: Tongue) {
  if (standing === 'paid') return [formWords.already, formWords.already_text] as const
  if (standing === 'paying') return [formWords.pending, formWords.pending_text] as const
  const words = linkWords[language]
  if (standing === 'locked' && isLocked) return [words.locked, words.locked_cards_text] as const
  return [words[standing], words[`${standing}_text`]] as const
}

// Somebody else has paid on this page, whose address was passed on. Whoever comes is shown the way to a page
// of their own.
export function othersPage(view: LinkView, scene: LinkScene, href: string): Html {
  const { tongue } = scene
  const words = linkWords[tongue.language]
  const title = tongue.words.already
  const text = words.others_text
  const notice = { sign: 'check', title, text, reference: '', action: { href, label: words.again } } as const
  return formShell(shellOfLink(view, scene, title), noticePage(notice, tongue))
}

// For addresses that lead to no link, and for whoever tries too many of them.
export function noLinkPage(scene: LinkScene, kind: 'missing' | 'slow'): Html {
  const { tongue, assets, isSandbox, address } = scene
  const { slow, slow_text } = tongue.words
  const words = { ...linkWords[tongue.language], slow, slow_text }
  const { look } = optionsOf({ visible: 0, readOnly: 0, styles: 0, submission: 0 })
  const title = words[kind]
  const shell = { tongue, assets, isSandbox, look, title, theme: '', merchant: null, facts: {}, goesOn: null }
  const sign = kind === 'missing' ? 'question' : 'clock'
  const notice = { sign, title, text: words[`${kind}_text`], reference: '' } as const
  return formShell({ ...shell, address }, noticePage(notice, tongue))
}

function shellOfLink({ link, merchant }: LinkView, scene: LinkScene, title: string): Shell {
  return {
    tongue: scene.tongue,
    title: `${title} · ${merchant.name}`,
    assets: scene.assets,
    theme: link.colors === '' ? '' : `/PayForm/theme/${link.colors}.css`,
    look: optionsOf(link.masks).look,
    merchant: merchantShown({
      merchant,
      phone: link.phone,
      pictures: scene.pictures,
      look: optionsOf(link.masks),
    }),
    address: scene.address,
    isSandbox: scene.isSandbox,
    facts: {},
    goesOn: null,
  }
}
