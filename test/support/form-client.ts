import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Page } from 'playwright-core'
import type { TestGateway } from './in-process-gateway.ts'
import { formOrder } from './form-world.ts'

export const initPath = '/APIcardProcService/v1.0.0/CardSale/InitForm'

// Orders a form over the interface and answers its address.
export async function orderForm(
  gateway: TestGateway,
  changes: object = {},
  options: object = {},
): Promise<string> {
  const SessKey = await gateway.signIn()
  const { text } = await gateway.post(initPath, formOrder(changes, options), { SessKey })
  type Told = { readonly PaymentInitResult: { readonly PaymentUrl: string | null; readonly ErrMsg: string } }
  const { PaymentInitResult: result }: Told = JSON.parse(text)
  assert(result.PaymentUrl, result.ErrMsg)
  return result.PaymentUrl
}

export async function findForm(
  gateway: TestGateway,
  PaymentUrl: string,
): Promise<Readonly<Record<string, unknown>>> {
  const SessKey = await gateway.signIn()
  const { text } = await gateway.post('/APIcardProcREST/v1.0.0/Form/Query', { PaymentUrl }, { SessKey })
  const answer: { Form_QueryResult: { Forms: Record<string, unknown>[] } } = JSON.parse(text)
  const [form] = answer.Form_QueryResult.Forms
  assert(form)
  return form
}

// Lets these sites embed the forms of all records, as an operator would by `tillgate form set`.
export async function registerOrigins(
  { databaseUrl }: TestGateway,
  origins: readonly string[],
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(
      `insert into form_setting (account_id, merchant_number, origins, changed_at)
       select account_id, merchant_number, $1, '2026-01-01' from merchant
       on conflict (account_id, merchant_number) do update set origins = excluded.origins`,
      [origins.join(' ')],
    )
  } finally {
    await client.end()
  }
}

const folder = join(import.meta.dirname, '../../.cache/screens')

const picturesMax = 3

// Kept for people to look at; nothing is compared. A busy Chromium refuses a picture at times, and takes the
// same one when it is asked again.
export async function keepScreen(page: Page, name: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${name}.png`)
  for (let pictures = 1; ; pictures++) {
    try {
      await page.screenshot({ path, animations: 'disabled' })
      return
    } catch (error) {
      if (pictures === picturesMax || !String(error).includes('Unable to capture screenshot')) throw error
    }
  }
}

export async function typeCard(page: Page, number = '4242424242424242'): Promise<void> {
  await page.locator('#f-number').fill('')
  await page.locator('#f-number').pressSequentially(number)
  await page.locator('#f-expiry').fill('1230')
  await page.locator('#f-code').fill('123')
  if (await page.locator('#f-zip').isVisible()) await page.locator('#f-zip').fill('62701')
}
