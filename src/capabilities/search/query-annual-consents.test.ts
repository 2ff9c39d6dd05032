import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelAnnualConsentContract } from '#capabilities/consents/cancel-annual-consent.contract.ts'
import { cancelAnnualConsent } from '#capabilities/consents/cancel-annual-consent.operation.ts'
import { queryAnnualConsentsContract } from '#capabilities/search/query-annual-consents.contract.ts'
import { queryAnnualConsents } from '#capabilities/search/query-annual-consents.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { serve } from '#capabilities/wire/contract.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { charge, create, makeCallerOf, makeConsent, told } from '../../../test/support/consent-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { call, openTill } from '../../../test/support/till.ts'

const world = useWorld()
const query = serve(queryAnnualConsentsContract, queryAnnualConsents)
const cancel = serve(cancelAnnualConsentContract, cancelAnnualConsent)

type Listed = ReturnType<typeof queryAnnualConsentsContract.toWire>['members']['Consents']

async function find(needs: World, caller: Caller, Query: string): Promise<{ text: string; found: Listed }> {
  const answer = await query.answer(needs, caller, { Query })
  assert(answer.ok, answer.ok ? '' : JSON.stringify(answer.refusal))
  return { text: answer.reply.message, found: (answer.reply.members as { Consents: Listed }).Consents }
}

async function idsOf(needs: World, caller: Caller, text: string): Promise<readonly number[]> {
  return (await find(needs, caller, text)).found.map(({ ID }) => ID)
}

const creator = { CustomerRefID: 'C-1', RPGUID: 'guid-1', ServiceDescrip: 'Membership', NumDays: 30 }

test('a consent is found with everything that is known of it', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const made = await create(needs, caller, { creator })
  assert(made.ok)
  const ID = Number(made.value.consentId)
  const { text, found } = await find(needs, caller, `(Z=${ID})`)
  assert.equal(text, 'Successfully Returned Consent Records : 1')
  assert.deepEqual(found, [
    {
      ID,
      MerchID: 1,
      AcctHolderID: ID,
      AcctHolderFirstName: 'Ann',
      AcctHolderLastName: 'Example',
      AcctNo: '1111',
      AuthTxID: Number(made.value.verification?.attemptId),
      CustomerRefID: 'C-1',
      RPGUID: 'guid-1',
      ServiceDescrip: 'Membership',
      StartDate: '2027-01-15T00:00:00.000Z',
      EndDate: '2027-02-14T00:00:00.000Z',
      IsEnabled: true,
      CreatedOn: '2027-01-15T10:00:00.000Z',
      CreatedBy: 'till',
      NumDays: 30,
      LimitPerCharge: 100_000,
      LimitLifeTime: 1_000_000,
      AmtUsed: 0,
      AmtLeft: 1_000_000,
    },
  ])
})

test('a consent says what is used of its limit, and what is left', async () => {
  const till = await openTill(world())
  const { needs, caller } = till
  const consent = await makeConsent(needs, caller, { creator: { LimitLifeTime: 20 } })
  assert(told(await charge(needs, caller, consent, { Amounts: 12.5 })).members.TxApproved)
  const limits = async () => {
    const [one] = (await find(needs, caller, `(Z=${consent})`)).found
    return [one?.LimitLifeTime, one?.AmtUsed, one?.AmtLeft]
  }
  assert.deepEqual(await limits(), [20, 12.5, 7.5])
  const change = { ConsentID: Number(consent), ConsentMods: { LimitLifeTime: 10 } }
  assert.equal((await call(till, 'ConsentAnnual/Modify', change)).code, 0)
  assert.deepEqual(await limits(), [10, 12.5, 0])
})

const letters: readonly [string, string][] = [
  ['(A=1)', '(A=2)'],
  ["(B='1/15/2027')", "(B>'2027-01-15')"],
  ["(C<='2027-02-14')", "(C<'2/14/2027')"],
  ["(D LIKE 'EXA%')", "(D='Exam')"],
  ["(E>='1/15/2027')&&(E<'1/16/2027')", "(E<'1/15/2027')"],
  ["(F='c-1')", "(F='C-2')"],
  ['(G=1)', '(G=3)'],
  ["(H='True')", "(H='False')"],
  ["(J='GUID-1')", "(J<>'GUID-1')"],
  ["(K='ann')", "(K LIKE '%x%')"],
  ['(Z>0)', '(Z<0)'],
]
for (const [holds, fails] of letters) {
  test(`${holds} finds a consent that ${fails} does not`, async () => {
    const needs = world()
    const caller = await makeCallerOf(needs)
    const id = Number(await makeConsent(needs, caller, { creator }))
    assert.deepEqual(await idsOf(needs, caller, holds), [id])
    assert.deepEqual(await idsOf(needs, caller, fails), [])
  })
}

test('a cancelled consent is still found, as one that is not enabled', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const ConsentID = Number(await makeConsent(needs, caller))
  assert((await cancel.answer(needs, caller, { ConsentID })).ok)
  assert.deepEqual(await idsOf(needs, caller, "(H='False')"), [ConsentID])
  assert.deepEqual(await idsOf(needs, caller, "(H='True')"), [])
})

test('a card that the issuer has declined never became a consent', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const declined = await create(needs, caller, { card: { AccountNumber: '4000000000000002' } })
  assert(declined.ok && declined.value.consentId === null)
  assert.deepEqual(await idsOf(needs, caller, '(A=1)'), [])
})

test('an account that verifies no cards has consents without an authorization', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs, { verifiesCards: false })
  await makeConsent(needs, caller)
  const { found } = await find(needs, caller, '(A=1)')
  assert.deepEqual(
    found.map(({ AuthTxID }) => AuthTxID),
    [0],
  )
})

test('nothing of another account or another merchant record is found', async () => {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const id = await makeConsent(needs, caller)
  const strangers = [await makeCallerOf(needs), { ...caller, merchantNumber: merchantNumber(2) }]
  for (const stranger of strangers) {
    for (const text of [`(Z=${id})`, '(A>0)', "(H='True')||(Z>0)"]) {
      assert.deepEqual(await idsOf(needs, stranger, text), [], text)
    }
  }
})
