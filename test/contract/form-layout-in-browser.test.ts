import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Screen, useBrowser } from '../support/browser.ts'
import { keepScreen, orderForm } from '../support/form-client.ts'
import { assertUsable } from '../support/form-page.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { sendLink } from '../support/link-client.ts'

const laptop: Screen = { width: 1366, height: 768 }
const screens: readonly Screen[] = [{ width: 360, height: 780 }, { width: 768, height: 1024 }, laptop]
const step = 8

type Form = { readonly name: string; readonly order: readonly [object, object]; readonly isWide: boolean }

const withReference = { eVisible: 'A0E0', eReadOnly: '00C0' }
const everything = { eVisible: 'FFFF', eReadOnly: '0040', eSubmission: '0608' }
const forms: readonly Form[] = [
  { name: 'a reference', order: [{}, withReference], isWide: true },
  { name: 'a reference and a fee', order: [{ MerchID: 2 }, withReference], isWide: true },
  { name: 'nothing but a sum', order: [{}, { eVisible: 'A060', eReadOnly: '0040' }], isWide: false },
  { name: 'a card to save', order: [{ Amounts: {} }, { eSubmission: '0408' }], isWide: false },
  { name: 'everything', order: [{ MerchID: 2 }, everything], isWide: true },
]

type Line = { readonly what: string; readonly top: number; readonly bottom: number }
type Field = { readonly name: string; readonly left: number; readonly lines: readonly Line[] }

// Label, box and what stands below it, of each field that is seen.
function fieldsOf(page: Page): Promise<readonly Field[]> {
  return page.evaluate(`[...document.querySelectorAll('#form .field:not(.tick)')]
    .filter((one) => one.offsetParent !== null)
    .map((field) => ({
      name: field.dataset.field,
      left: field.getBoundingClientRect().left,
      lines: [...field.children].filter((one) => one.offsetHeight > 0).map((one) => {
        const { top, bottom } = one.getBoundingClientRect()
        return { what: one.className || one.tagName, top, bottom }
      }),
    }))`)
}

function assertSteps(field: Field, below: readonly Field[], where: string): void {
  const [first] = field.lines
  const last = field.lines.at(-1)
  assert(first && last, where)
  for (const { what, top, bottom } of field.lines)
    assert.equal((bottom - top) % step, 0, `${where}: ${what} of ${field.name} is ${bottom - top} high`)
  for (const [at, line] of field.lines.slice(1).entries()) {
    const gap = line.top - (field.lines[at]?.bottom ?? 0)
    assert.equal(gap % step, 0, `${where}: ${gap} above the ${line.what} of ${field.name}`)
  }
  // The next one in the same column.
  const next = below.find(({ left, lines: [top] }) => left === field.left && top && top.top > last.top)
  const gap = (next?.lines[0]?.top ?? last.bottom) - last.bottom
  assert(gap % step === 0 && gap >= 0, `${where}: ${gap} between ${field.name} and ${next?.name}`)
}

async function makeTwoErrors(page: Page): Promise<void> {
  for (const [name, text] of Object.entries({ number: '4242424242424241', expiry: '12/30', code: '12' }))
    await page.fill(`#f-${name}`, text)
  const zip = page.locator('#f-zip')
  if (await zip.isVisible()) await zip.fill('62701')
  await page.click('#pay')
  await page.locator('#e-form:not([hidden])').waitFor()
}

const middle = ({ x, width }: { x: number; width: number }): number => x + width / 2

describe('how the form is laid out', () => {
  const gateway = useGateway()
  const browser = useBrowser()

  async function visit(screen: Screen, url: string, look: (page: Page) => Promise<void>, options = {}) {
    await using context = await browser().open(screen, options)
    const page = await context.newPage()
    await page.goto(url)
    await look(page)
  }

  for (const screen of screens)
    for (const locale of ['en-US', 'es-MX', 'fr-FR'])
      test(`fields, hints and errors keep to steps of 8 pixels at ${screen.width} in ${locale}`, async () => {
        for (const { name, order } of forms) {
          const look = async (page: Page): Promise<void> => {
            for (const state of ['open', 'errors']) {
              if (state === 'errors') await makeTwoErrors(page)
              const fields = await fieldsOf(page)
              assert(fields.length >= 3)
              for (const [at, field] of fields.entries())
                assertSteps(field, fields.slice(at + 1), `${name}, ${state}`)
            }
          }
          await visit(screen, await orderForm(gateway(), ...order), look, { locale })
        }
      })

  for (const { name, order, isWide } of forms)
    for (const colorScheme of ['light', 'dark'] as const)
      test(`on a laptop the button is in view with two errors, with ${name}, ${colorScheme}`, async () => {
        const look = async (page: Page): Promise<void> => {
          await makeTwoErrors(page)
          for (const top of [0, await page.evaluate<number>('scrollY')]) {
            await page.evaluate(`scrollTo({ top: ${top}, behavior: 'instant' })`)
            const box = await page.locator('#pay').boundingBox()
            const bottom = (box?.y ?? 0) + (box?.height ?? Infinity)
            assert(bottom <= laptop.height, `${bottom}`)
          }
          await page.evaluate(`scrollTo({ top: 0, behavior: 'instant' })`)
          await keepScreen(page, `laptop-${name.replaceAll(' ', '-')}-${colorScheme}`)
          await assertUsable(page, name)
          const [summary, card] = await Promise.all(
            ['.summary', '#pay'].map((one) => page.locator(one).boundingBox()),
          )
          assert(summary && card)
          if (isWide) return assert(summary.x + summary.width < card.x, 'it stands beside the form')
          assert.equal(middle(summary), middle(card), 'it stands above the form')
          assert.equal(middle(card), laptop.width / 2, 'in the middle')
        }
        await visit(laptop, await orderForm(gateway(), ...order), look, { colorScheme })
      })

  // Without anything sticking to the edge of the screen.
  for (const [name, order] of [
    ['a reference', [{}, withReference]],
    ['a reference and a fee', [{ MerchID: 2 }, withReference]],
    ['a sum', [{}, { eVisible: 'A060', eReadOnly: '0040' }]],
  ] as const)
    test(`a usual form with ${name} is short enough by itself`, async () => {
      await visit(laptop, await orderForm(gateway(), ...order), async (page) => {
        await makeTwoErrors(page)
        await page.evaluate(`document.querySelector('.bar').style.position = 'static'; scrollTo(0, 0)`)
        const box = await page.locator('#pay').boundingBox()
        assert(box && box.y + box.height <= laptop.height, `${box?.y}`)
      })
    })

  test('beside the form of a link stands what is paid for', async () => {
    const url = await sendLink(gateway(), { MessageBody: 'Thank you for your visit', DueOn: '2026-12-01' })
    await visit(laptop, url, async (page) => {
      const summary = page.locator('.summary')
      const [left, form] = await Promise.all([summary.boundingBox(), page.locator('#pay').boundingBox()])
      assert(left && form && left.x + left.width < form.x)
      const told = await summary.innerText()
      for (const part of [/\$125\.00/, /Due/, /Thank you for your visit/, /Reference\s+invoice-1042/])
        assert.match(told, part)
      await keepScreen(page, 'laptop-link')
    })
  })

  test('the sums with a fee stand beside the form on a desk, and above the button on a phone', async () => {
    const url = await orderForm(gateway(), { MerchID: 2 }, withReference)
    for (const screen of [laptop, screens[0] ?? laptop])
      await visit(screen, url, async (page) => {
        const [totals, number, pay] = await Promise.all(
          ['.totals', '#f-number', '.under'].map((one) => page.locator(one).boundingBox()),
        )
        assert(totals && number && pay)
        if (screen === laptop) assert(totals.x + totals.width < number.x)
        else assert(totals.y > number.y && totals.y + totals.height <= pay.y)
      })
  })
})
