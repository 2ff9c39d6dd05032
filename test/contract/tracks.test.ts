import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import pg from 'pg'
import { createAnnualConsentContract } from '#capabilities/consents/create-annual-consent.contract.ts'
import { createRecurringConsentContract } from '#capabilities/recurring/create-recurring-consent.contract.ts'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { dumpTables, formsOf } from '../support/leaks.ts'
import { type Answered, readEnvelope } from './envelope.ts'

const contracts = [chargeCardContract, createAnnualConsentContract, createRecurringConsentContract]
const number = '4111111111111111'
// What stands on a stripe beside number and expiry, and is found nowhere afterwards.
const further = '867530986753'
const holder = 'QUETZAL/ZENOBIA'
const tracks = {
  'track 1': `%B${number}^${holder}^3012101${further}?`,
  'track 2': `;${number}=3012101${further}?`,
}
const { 'track 2': track } = tracks
const typed = { AccountNumber: number, ExpMonth: 12, ExpYear: 2030 }
const marks = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

describe('a track', () => {
  const gateway = useGateway()
  let sessionKey = ''
  before(async () => {
    sessionKey = await gateway().signIn()
  })

  async function overRest(contract: ContractFacts, ccCardInfo: object, key?: string): Promise<Answered> {
    const body = { ...contract.example.request, ccCardInfo }
    const headers = { SessKey: sessionKey, ...(key && { 'Idempotency-Key': key }) }
    const { text } = await gateway().post(contract.prefix + contract.path, body, headers)
    return readEnvelope(text, contract.resultKey)
  }

  async function overSoap(contract: ContractFacts, ccCardInfo: object): Promise<string> {
    const name = contract.resultKey.replace(/Result$/, '')
    const members = xmlOf({ SessKey: sessionKey, ...contract.example.request, ccCardInfo })
    const call = `<${name} xmlns="urn:tillgate:cardproc:v1">${members}</${name}>`
    const soap = 'http://schemas.xmlsoap.org/soap/envelope/'
    const body = `<s:Envelope xmlns:s="${soap}"><s:Body>${call}</s:Body></s:Envelope>`
    const headers = { 'content-type': 'text/xml; charset=utf-8' }
    const path = '/APIcardProcService/CardProcAPI.svc'
    return (await gateway().send({ method: 'POST', path, headers, body })).text
  }

  // What the gateway knows of the card afterwards.
  async function cardOf(contract: ContractFacts, { TxID, ConsentID }: Answered): Promise<unknown> {
    const kind = contract.path.split('/')[0] ?? ''
    const isSale = contract === chargeCardContract
    const path = isSale ? 'Query/Transaction' : `Query/${kind}`
    const body = { Query: isSale ? `(H=${String(TxID)})` : `(Z=${String(ConsentID)})` }
    const { text } = await gateway().post(`/APIcardProcREST/v1.0.0/${path}`, body, { SessKey: sessionKey })
    const resultKey = isSale ? 'Transaction_QueryResult' : `${kind}_QueryResult`
    const answered = readEnvelope(text, resultKey)
    const [record] = answered[isSale ? 'Transactions' : 'Consents'] as readonly Record<string, unknown>[]
    const { ACCT_NO, EXP_DATE, CVVr, AcctNo, EndDate } = record ?? {}
    assert.match(String(ACCT_NO ?? AcctNo), /1111$/)
    return { ACCT_NO, EXP_DATE, CVVr, AcctNo, EndDate }
  }

  for (const contract of contracts) {
    for (const [name, Track] of Object.entries(tracks)) {
      test(`${contract.path} takes ${name} instead of number and expiry`, async () => {
        const answered = await overRest(contract, { Track, CSV: '123' })
        assert.equal(answered.ErrCode, 0, answered.ErrMsg)
        const byHand = await overRest(contract, { ...typed, CSV: '123' })
        assert.deepEqual(await cardOf(contract, answered), await cardOf(contract, byHand))
        assert.match(await overSoap(contract, { Track }), /<ErrCode>0</)
      })
    }

    test(`${contract.path} refuses a track that disagrees with what is typed`, async () => {
      const ccCardInfo = { AccountNumber: '4242424242424242', ExpMonth: 12, ExpYear: 31, Track: track }
      const { FunctionOk, ErrCode, RespMsg } = await overRest(contract, ccCardInfo)
      const names = 'ccCardInfo.AccountNumber and ccCardInfo.ExpYear'
      const difference = `ccCardInfo.Track holds another value than ${names}`
      const text = `Invalid card data: ${difference}: send the same, or the track alone`
      assert.deepEqual([FunctionOk, ErrCode, RespMsg], [false, 55716, text])
      assert((await overSoap(contract, ccCardInfo)).includes(`<RespMsg>${text}<`))
    })
  }

  const sell = (card: object) => overRest(chargeCardContract, card, 'one-card')

  test('is the card under an idempotency key, and nothing else of it counts', async () => {
    const first = await sell({ Track: track })
    assert.equal(first['TxApproved'], true)
    for (const same of [{ Track: tracks['track 1'] }, { Track: track.replace(further, '1') }, typed])
      assert.equal((await sell(same))['TxID'], first['TxID'], JSON.stringify(same))
    const others = [
      { Track: track.replace(number, '4242424242424242') },
      { Track: track.replace('=3012', '=3011') },
      { ...typed, ExpMonth: 11 },
      { Track: track.slice(0, -1) },
      { ...typed, ExpMonth: 11, Track: track },
    ]
    for (const other of others) assert.equal((await sell(other)).ErrCode, 4221, JSON.stringify(other))
  })

  test('is nowhere in the database afterwards', async () => {
    for (const contract of contracts) {
      for (const Track of Object.values(tracks)) {
        await overRest(contract, { Track, CSV: '123' }, `kept nowhere ${contract.path} ${Track.length}`)
        await overRest(contract, { Track: Track.slice(0, -1) })
        await overRest(contract, { ...typed, ExpYear: 31, Track })
        await overSoap(contract, { Track })
      }
    }
    const client = new pg.Client(gateway().databaseUrl)
    await client.connect()
    const tables = await dumpTables(client).finally(() => client.end())
    assert(tables.includes('Ada'), 'the tables hold the rows of these calls')
    for (const form of [...formsOf(further), ...formsOf(number), Buffer.from(holder)])
      assert(!tables.includes(form), form.toString('latin1'))
  })
})

function xmlOf(members: object): string {
  const parts = Object.entries(members).map(([name, value]: [string, unknown]) => {
    const inner = typeof value === 'object' && value !== null ? xmlOf(value) : marks(String(value))
    return `<${name}>${inner}</${name}>`
  })
  return parts.join('')
}
