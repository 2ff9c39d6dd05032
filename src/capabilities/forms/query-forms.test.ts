import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openForm, press } from '../../../test/support/form-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, type Till } from '../../../test/support/till.ts'

const world = useWorld()

async function found(till: Till, body: object): Promise<readonly Record<string, unknown>[]> {
  const told = await call(till, 'Form/Query', body)
  assert.equal(told.code, 0, told.text)
  return told.members['Forms'] as readonly Record<string, unknown>[]
}

test('a paid form is found by its reference and by its address, with its transaction', async () => {
  const till = await openTill(world())
  const guest = await openForm(till)
  await openForm(till, { REF_ID: 'another' })
  await press(guest)
  const url = `https://pay.example/PayForm/PF.aspx?s=${guest.token.reveal()}`
  for (const body of [{ RefID: 'invoice-1042' }, { PaymentUrl: url }]) {
    const [form, ...rest] = await found(till, body)
    assert.deepEqual(rest, [])
    assert.deepEqual([form?.['State'], form?.['TotalAmt'], form?.['Tries']], ['PAID', 125, 1])
    assert(Number(form?.['TransactionID']) > 0)
  }
  assert.equal((await found(till, {})).length, 2)
})

test('an open form becomes an expired one by itself', async () => {
  const till = await openTill(world())
  await openForm(till)
  assert.equal((await found(till, {}))[0]?.['State'], 'OPEN')
  till.needs.clock.advance({ hours: 2 })
  assert.equal((await found(till, {}))[0]?.['State'], 'EXPIRED')
})

test('forms of another account are not found, not even by their address', async () => {
  const needs = world()
  const guest = await openForm(await openTill(needs))
  const stranger = await openTill(needs)
  const PaymentUrl = `https://pay.example/PayForm/PF.aspx?s=${guest.token.reveal()}`
  assert.deepEqual(await found(stranger, { PaymentUrl }), [])
  assert.deepEqual(await found(stranger, {}), [])
})

test('what is no address of a form is refused', async () => {
  const told = await call(await openTill(world()), 'Form/Query', { PaymentUrl: 'https://pay.example/' })
  assert.equal(told.text, 'PaymentUrl is no address of a form')
})
