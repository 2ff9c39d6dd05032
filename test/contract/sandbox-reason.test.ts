import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createAnnualConsentContract } from '#capabilities/consents/create-annual-consent.contract.ts'
import { operations } from '#capabilities/operations.ts'
import { createRecurringConsentContract } from '#capabilities/recurring/create-recurring-consent.contract.ts'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { Admission } from '#transport/admission.ts'
import { operationCaller } from '#transport/call-operation.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { makeAccount, makeToken, useWorld } from '../support/session-world.ts'

describe('the header Sandbox-Reason', () => {
  const gateway = useGateway()
  let sessionKey = ''
  before(async () => {
    sessionKey = await gateway().signIn()
  })

  async function reasonFor({ prefix, path }: ContractFacts, body: object, key?: string): Promise<unknown> {
    const headers = { SessKey: sessionKey, ...(key === undefined ? {} : { 'Idempotency-Key': key }) }
    const answer = await gateway().post(prefix + path, body, headers)
    assert.equal(answer.status, 200)
    return answer.headers['sandbox-reason']
  }

  async function reasonBySoap(body: object): Promise<unknown> {
    const members = xmlOf({ SessKey: sessionKey, ...body })
    const call = `<CreditCardSale_Manual xmlns="urn:tillgate:cardproc:v1">${members}</CreditCardSale_Manual>`
    const soap = 'http://schemas.xmlsoap.org/soap/envelope/'
    const envelope = `<s:Envelope xmlns:s="${soap}"><s:Body>${call}</s:Body></s:Envelope>`
    const headers = { 'content-type': 'text/xml; charset=utf-8' }
    const path = '/APIcardProcService/CardProcAPI.svc'
    const answer = await gateway().send({ method: 'POST', path, headers, body: envelope })
    assert.match(answer.text, /<FunctionOk>true<\/FunctionOk>/)
    return answer.headers['sandbox-reason']
  }

  for (const [what, changes, reason] of [
    ['a card that declines', { ccCardInfo: cardOf('4000000000009995') }, 'card ending in 9995'],
    ['a card whose address differs', { ccCardInfo: cardOf('4000000000000010') }, 'card ending in 0010'],
    ['an amount that declines', { Amounts: { BaseAmt: 9900.51 } }, 'amount 9900.51'],
    ['an amount of which a part is approved', { Amounts: { BaseAmt: 9900.1 } }, 'amount 9900.10'],
    ['a zip that declines', { AcctHolder: holderIn('46282') }, 'zip 46282'],
    ['a zip that does not match', { AcctHolder: holderIn('46205') }, 'zip 46205'],
    ['nothing of the kind', {}, undefined],
  ] as const) {
    test(`names ${what}, over REST and SOAP`, async () => {
      const body = { ...chargeCardContract.example.request, ...changes }
      assert.equal(await reasonFor(chargeCardContract, body), reason)
      assert.equal(await reasonBySoap(body), reason)
    })
  }

  for (const contract of [createAnnualConsentContract, createRecurringConsentContract]) {
    test(`names the card that ${contract.path} was declined for`, async () => {
      const request = { ...contract.example.request, ccCardInfo: cardOf('4000000000000002') }
      assert.equal(await reasonFor(contract, request), 'card ending in 0002')
    })
  }

  test('is told with the answer, not with its repeats', async () => {
    const body = { ...chargeCardContract.example.request, Amounts: { BaseAmt: 9900.05 } }
    assert.equal(await reasonFor(chargeCardContract, body, 'reason-1'), 'amount 9900.05')
    assert.equal(await reasonFor(chargeCardContract, body, 'reason-1'), undefined)
  })
})

describe('in one mode and the other', () => {
  const world = useWorld()

  for (const [mode, what, notes] of [
    ['sandbox', 'is told', { 'Sandbox-Reason': 'card ending in 0002' }],
    ['live', 'is kept back', {}],
  ] as const) {
    test(`the reason that a connector gives ${what} in ${mode} mode`, async () => {
      const full = world()
      const context = { ...full, keyRing: { ...full.keyRing, mode } }
      const account = await makeAccount(full)
      const { accountCode } = account
      const token = await makeToken(full, account)
      const address = '192.0.2.10'
      const signedIn = await authenticate(context, { address }, { accountCode, token })
      assert.ok(signedIn.ok)
      const busy = { inFlightMax: 1, waitMsMax: 1_000, loopDelayMsMax: 1_000, loopDelayMs: () => 0 }
      const admission = new Admission(busy)
      const needs = { context, vital: context, admission, limits: null, observe: () => undefined }
      const charge = operations.find(({ contract }) => contract === chargeCardContract)
      assert.ok(charge)
      const body = { ...chargeCardContract.example.request, ccCardInfo: cardOf('4000000000000002') }
      const { sessionKey } = signedIn.value
      const call = {
        body,
        sessionKey,
        idempotencyKey: null,
        address,
        isWaiting: () => true,
        requestId: 'r-1',
      }
      const answer = await operationCaller(needs, operations)(charge, call)
      assert.deepEqual([answer.error, answer.notes], [null, notes])
    })
  }
})

function cardOf(AccountNumber: string) {
  return { AccountNumber, ExpMonth: 12, ExpYear: 98 }
}

function holderIn(ZIP: string) {
  return { BillIngAdress: { Address1: '1 Main Street', ZIP } }
}

function xmlOf(members: object): string {
  const parts = Object.entries(members).map(([name, value]: [string, unknown]) => {
    const inner = typeof value === 'object' && value !== null ? xmlOf(value) : String(value)
    return `<${name}>${inner}</${name}>`
  })
  return parts.join('')
}
