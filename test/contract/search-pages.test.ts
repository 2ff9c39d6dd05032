import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type Client, createClientAsync } from 'soap'
import { useGateway } from '../support/in-process-gateway.ts'
import { readAnswer } from './envelope.ts'

type Answer = {
  readonly ErrCode: number
  readonly ErrMsg: string
  readonly NumRecords: number
  readonly HasMore: boolean
  readonly NextCursor: string | null
  readonly ids: readonly number[]
}

describe('pages of a search, over REST and SOAP', () => {
  const gateway = useGateway()
  let client: Client
  let SessKey = ''
  before(async () => {
    client = await createClientAsync(`${gateway().baseUrl}/APIcardProcService/CardProcAPI.svc?wsdl`)
    SessKey = await gateway().signIn()
  })

  const overRest = async (body: object): Promise<Answer> => {
    const sent = await gateway().post('/APIcardProcREST/v1.0.0/Intl/QueryTransaction', body, { SessKey })
    const answer = Object(readAnswer(sent, 'Intl_Transaction_QueryResult'))
    return { ...answer, ids: answer.Transactions.map(({ ID }: { ID: number }) => ID) }
  }

  const overSoap = async (body: object): Promise<Answer> => {
    const [told] = await client['Intl_Transaction_QueryAsync']({ SessKey, ...body })
    const answer = told.Intl_Transaction_QueryResult
    const records = [answer.Transactions?.InternationalRecord ?? []].flat()
    return { ...answer, ids: records.map(({ ID }) => Number(ID)) }
  }

  const ways = { REST: [overRest], SOAP: [overSoap], 'both in turns': [overRest, overSoap] } as const
  for (const [what, [first, second = first]] of Object.entries(ways)) {
    test(`lead to every record of the demo account by ${what}`, async () => {
      const Query = '(B=-1)'
      const all = await overRest({ Query })
      assert.equal(all.HasMore, false)
      assert.ok(all.ids.length > 3)
      const ids: number[] = []
      let Cursor = ''
      for (let page = 0; page === 0 || Cursor !== ''; page += 1) {
        const ask = page % 2 === 0 ? first : second
        const answer = await ask({ Query, PageSize: 2, Cursor })
        assert.equal(answer.ErrCode, 0, answer.ErrMsg)
        assert.equal(answer.NumRecords, answer.ids.length)
        assert.equal(answer.HasMore, Boolean(answer.NextCursor))
        ids.push(...answer.ids)
        Cursor = answer.NextCursor ?? ''
      }
      assert.deepEqual(ids, all.ids)
    })
  }

  test('refuse by name a cursor of another expression and a page of no size', async () => {
    const { NextCursor: Cursor } = await overRest({ Query: '(B=-1)', PageSize: 1 })
    for (const ask of [overRest, overSoap]) {
      const foreign = await ask({ Query: '(B=3)', Cursor })
      assert.match(foreign.ErrMsg, /^ERROR:4003:LOW:.*Cursor is not a NextCursor/)
      const empty = await ask({ Query: '(B=3)', PageSize: 0 })
      assert.match(empty.ErrMsg, /^ERROR:4003:LOW:.*PageSize/)
    }
  })
})
