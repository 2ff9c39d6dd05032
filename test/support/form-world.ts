import assert from 'node:assert/strict'
import { nameOfWords, wordsOn } from '#capabilities/form-payments/agreement.ts'
import { initFormContract } from '#capabilities/forms/init-form.contract.ts'
import { payForm, type PayAnswer } from '#capabilities/form-payments/pay-form.operation.ts'
import { type FormView, showForm } from '#capabilities/form-payments/show-form.operation.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { Secret } from '#kernel/secret.ts'
import { call, type Till } from './till.ts'

type Params = { readonly WidOptions: object }
const request: Readonly<Record<string, Params>> = { ...initFormContract.example.request }
const usual = request['InitParams']

// A form of 125 dollars with a fixed amount, full name, zip and e-mail, unless something else is said.
export function formOrder(changes: object = {}, options: object = {}): object {
  return { InitParams: { ...usual, ...changes, WidOptions: { ...usual?.WidOptions, ...options } } }
}

export type Guest = { readonly till: Till; readonly token: Secret; readonly browser: Secret }

export async function openForm(till: Till, changes: object = {}, options: object = {}): Promise<Guest> {
  const told = await call(till, initFormContract.path, formOrder(changes, options))
  assert.equal(told.code, 0, told.text)
  const token = new URL(String(told.members['PaymentUrl'])).searchParams.get('s') ?? ''
  return { till, token: new Secret(token), browser: new Secret('browser-1') }
}

export async function look({ till, token, browser }: Guest): Promise<FormView> {
  const view = await showForm(till.needs, { token, browser })
  assert(view)
  return view
}

type Typed = Readonly<Record<string, string>>

export const goodCard: Typed = {
  number: '4111 1111 1111 1111',
  expiry: '12/30',
  code: '123',
  firstName: 'Ada',
  lastName: 'Miller',
  zip: '62701',
}

// Presses the button of the page as it is now, or of one that was loaded before.
export async function press(
  guest: Guest,
  typed: Typed = {},
  page: FormView | null = null,
): Promise<PayAnswer> {
  const shown = page ?? (await look(guest))
  const { pageKey, form } = shown
  const total = String(form.amount?.minor ?? 0n)
  const words = nameOfWords(wordsOn(shown, tongue))
  const sent = new Map(Object.entries({ ...goodCard, k: pageKey, total, words, ...typed }))
  const { till, token, browser } = guest
  return payForm(till.needs, { token, browser, address: '203.0.113.7', tongue, sent })
}

const tongue = tongueFor('en-US', '')
