import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyReturns } from '#capabilities/bank-debits/apply-returns.operation.ts'
import { printBankFile } from '#capabilities/bank-debits/print-bank-file.operation.ts'
import { expireFormsWork } from '#capabilities/forms/expire-forms.task.ts'
import { removeOldForms } from '#capabilities/forms/remove-old-forms.operation.ts'
import { returnFileFor } from '../../../simulator/ach-bank.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { faultsOfNacha } from '../../../test/support/nacha-check.ts'
import { look, openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, settleAll, type Till } from '../../../test/support/till.ts'

const world = useWorld()

async function found(till: Till, body: object): Promise<readonly Record<string, unknown>[]> {
  const told = await call(till, 'Form/Query', body)
  assert.equal(told.code, 0, told.text)
  return told.members['Forms'] as readonly Record<string, unknown>[]
}

test('a paid form is found by its id, its reference and its address, with its transaction', async () => {
  const till = await openTill(world())
  const guest = await openForm(till)
  await openForm(till, { REF_ID: 'another' })
  await press(guest)
  const url = `https://pay.example/PayForm/PF.aspx?s=${guest.token.reveal()}`
  const [{ FormID } = {}] = await found(till, { PaymentUrl: url })
  for (const body of [{ FormID }, { RefID: 'invoice-1042' }, { PaymentUrl: url }]) {
    const [form, ...rest] = await found(till, body)
    assert.deepEqual(rest, [])
    assert.deepEqual([form?.['State'], form?.['TotalAmt'], form?.['Tries']], ['PAID', 125, 1])
    assert(Number(form?.['TransactionID']) > 0)
  }
  assert.equal((await found(till, {})).length, 2)
})

test('at most 100 are shown, the newest, and the answer says so', async () => {
  const till = await openTill(world())
  await Promise.all(Array.from({ length: 101 }, () => openForm(till)))
  const { text, members } = await call(till, 'Form/Query', {})
  assert.equal(text, 'Found more than 100 forms; these are the newest')
  assert.equal([members['Forms']].flat().length, 100)
})

test('an open form becomes an expired one by itself', async () => {
  const till = await openTill(world())
  await openForm(till)
  assert.equal((await found(till, {}))[0]?.['State'], 'OPEN')
  till.needs.clock.advance({ hours: 2 })
  assert.equal((await found(till, {}))[0]?.['State'], 'EXPIRED')
})

test('forms of another account are not found, not even by their address or id', async () => {
  const needs = world()
  const till = await openTill(needs)
  const guest = await openForm(till)
  const [{ FormID } = {}] = await found(till, {})
  const stranger = await openTill(needs)
  const PaymentUrl = `https://pay.example/PayForm/PF.aspx?s=${guest.token.reveal()}`
  assert.deepEqual(await found(stranger, { PaymentUrl }), [])
  assert.deepEqual(await found(stranger, { FormID }), [])
  assert.deepEqual(await found(stranger, {}), [])
})

test('what is no address of a form is refused', async () => {
  const told = await call(await openTill(world()), 'Form/Query', { PaymentUrl: 'https://pay.example/' })
  assert.equal(told.text, 'PaymentUrl is no address of a form')
})

test('a payment from a bank account goes out as authorized on the web, and a return is told', async () => {
  const till = await openTill(world())
  const guest = await openForm(till)
  const account = { method: 'bank', routing: '110000000', account: '1234567890123451', name: 'Ada Miller' }
  assert.equal((await press(guest, account)).kind, 'paid')
  assert.equal((await found(till, {}))[0]?.['BankStatus'], 'OPEN')
  const { batch } = await settleAll(till)
  const file = await printBankFile(till.needs, BigInt(batch['BatchLogID'] ?? 0))
  assert(file.ok)
  assert.deepEqual(faultsOfNacha(file.value), [])
  const lines = file.value.split('\n')
  assert.equal(lines.find((line) => line.startsWith('5'))?.slice(50, 53), 'WEB')
  assert.equal(lines.find((line) => line.startsWith('6'))?.slice(76, 78), 'S ', 'authorized for once')
  const back = returnFileFor(file.value, Temporal.PlainDate.from('2027-01-20'))
  assert(back !== null && (await applyReturns(till.needs, back)).ok)
  const [form] = await found(till, {})
  assert.deepEqual([form?.['BankStatus'], form?.['ReturnCode']], ['RETURNED', 'R01'])
  assert.equal((await look(guest)).bankDebit?.status, 'returned')
})

test('a form that nobody paid is forgotten after a month, a paid one stays for years', async () => {
  const till = await openTill(world())
  await openForm(till, { REF_ID: 'unpaid' })
  await press(await openForm(till, { REF_ID: 'paid' }))
  const left = async () => (await found(till, {})).map(({ REF_ID }) => REF_ID)
  till.needs.clock.advance({ hours: 2 })
  await runDueNow(till.needs, expireFormsWork, till.account.accountId)
  till.needs.clock.advance({ hours: 24 * 31 })
  await removeOldForms(till.needs)
  assert.deepEqual(await left(), ['paid'])
  till.needs.clock.advance({ hours: 24 * 1_100 })
  await removeOldForms(till.needs)
  assert.deepEqual(await left(), [])
})
