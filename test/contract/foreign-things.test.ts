import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { operations } from '#capabilities/operations.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { resolveSession } from '#capabilities/sessions/resolve-session.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { ContractFacts, WireAnswer } from '#capabilities/wire/contract.ts'
import { refusedEnvelope } from '#capabilities/wire/envelope.ts'
import { requestReader } from '#capabilities/wire/read-request.ts'
import type { Account } from '#engine/merchants/account.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { randomLetters } from '#platform/crypto/random.ts'
import { makeAccount, makeMerchant, makeToken, useWorldOn, type World } from '../support/session-world.ts'
import { useTestDatabase } from '../support/test-database.ts'

// Every operation times every member that carries an id, read from the contracts: a thing of another account,
// or of a merchant record that the token is not for, answers exactly like one that does not exist, and
// nothing changes. A search finds nothing of it. A new operation is covered as soon as it is listed; a new
// kind of id needs a line in `makers`.

type Body = Readonly<Record<string, unknown>>
type Place = readonly string[]
// record: the one whose things it makes.
type Party = { readonly needs: World; readonly caller: Caller; readonly record: number }

// No row has it, whatever the tests make.
const missingId = 987_654_321
// How a party comes by a thing of its own, by the name of the member that carries its id.
const makers: Readonly<Record<string, (party: Party) => Promise<number>>> = {
  TxID: async (party) => idFrom(await call(party, 'CardSale/Manual', {}), 'TxID'),
  TransactionIDs: async (party) => idFrom(await call(party, 'CardSale/Manual', {}), 'TxID'),
  ConsentID: async (party) => idFrom(await call(party, 'ConsentAnnual/Create_MAN', {}), 'ConsentID'),
  MerchID: async ({ record }) => record,
  AlternateMerchID: async ({ record }) => record,
  SchedID: scheduledPayment,
  SchedIDs: scheduledPayment,
  WebhookID: webhook,
  LinkID: link,
  FormID: form,
}
// Where the same name means a thing of another kind.
const otherMakers: typeof makers = {
  'ConsentRecurring/Modify ConsentID': recurringConsent,
  'ConsentRecurring/Cancel ConsentID': recurringConsent,
  'ACH/Void TxID': bankDebit,
  'ACH/ApplyCredit TxID': bankDebit,
}
const recordMembers = new Set(['MerchID', 'AlternateMerchID'])

const cases = operations.flatMap(({ contract }) =>
  placesOf(contract.request).map((place) => ({ contract, place })),
)

// Whose things are tried on whom. foreignRecord: one of the owner's that the stranger does not have.
type Relation = {
  readonly owner: Party
  readonly stranger: Party
  readonly foreignRecord: number
}

const relations: Readonly<Record<string, (needs: World) => Promise<Relation>>> = {
  'another account': async (needs) => {
    const [theirs, own] = [await openAccount(needs, 3), await openAccount(needs, 2)]
    return {
      owner: await openParty(needs, theirs, { record: 1 }),
      stranger: await openParty(needs, own, { record: 1 }),
      foreignRecord: 3,
    }
  },
  'an earlier merchant record': (needs) => betweenRecords(needs, 1, 2),
  'a later merchant record': (needs) => betweenRecords(needs, 2, 1),
}

async function betweenRecords(needs: World, theirs: number, own: number): Promise<Relation> {
  const account = await openAccount(needs, 2)
  return {
    owner: await openParty(needs, account, { record: theirs, isTokenForRecord: true }),
    stranger: await openParty(needs, account, { record: own, isTokenForRecord: true }),
    foreignRecord: theirs,
  }
}

describe("what is not the caller's", () => {
  const database = useTestDatabase()
  const world = useWorldOn(database)
  let client: pg.Client | null = null
  before(async () => {
    client = new pg.Client(database().connection)
    await client.connect()
  })
  after(() => client?.end())

  test('there are operations with ids, and a maker for each kind', () => {
    assert(cases.length > 0)
    const unknown = cases
      .map(({ place }) => place.at(-1) ?? '')
      .filter((name) => !Object.hasOwn(makers, name))
    assert.deepEqual(unknown, [], 'say in `makers` how such a thing is made')
  })

  const all = Object.entries(relations).flatMap(([of, relate]) =>
    cases.map((one) => ({ ...one, of, relate })),
  )
  for (const { contract, place, of, relate } of all) {
    test(`${contract.path} does not know the ${place.join('.')} of ${of}`, async () => {
      const needs = world()
      const { owner, stranger, foreignRecord } = await relate(needs)
      const member = place.at(-1) ?? ''
      const foreignId = recordMembers.has(member) ? foreignRecord : await make(owner, contract, member)
      const own = await ownBody(stranger, contract)
      const untouched = await rowsOf(client, needs, [owner, stranger])

      const foreign = await call(stranger, contract.path, withId(own, place, foreignId))
      const missing = await call(stranger, contract.path, withId(own, place, missingId))

      assert.deepEqual(told(foreign, foreignId), told(missing, missingId))
      if (foreign.ok) assert.deepEqual([contract.load, listIn(foreign)], ['query', []])
      else assert.match(foreign.refusal.kind, /_not_found$/)
      assert.deepEqual(await rowsOf(client, needs, [owner, stranger]), untouched, 'nothing has changed')
      const served = await call(stranger, contract.path, own)
      assert.equal(served.ok ? 'done' : served.refusal.kind, 'done', 'its own thing is served')
      if (foreign.ok) assert.equal(listIn(served).length, 1, 'its own thing is found')
    })
  }
})

async function openAccount(needs: World, records: number): Promise<Account> {
  const account = await makeAccount(needs, { allowsAlternateMerchants: true, allowsPartialApprovals: true })
  for (let number = 2; number <= records; number++) await makeMerchant(needs, account)
  return account
}

type PartyOrder = { readonly record: number; readonly isTokenForRecord?: boolean }

async function openParty(
  needs: World,
  account: Account,
  { record, isTokenForRecord = false }: PartyOrder,
): Promise<Party> {
  const visitor = { address: '192.0.2.10' }
  const merchant = isTokenForRecord ? merchantNumber(record) : null
  const token = await makeToken(needs, account, { alias: `user of ${merchant ?? 'all'}`, merchant })
  const signedIn = await authenticate(needs, visitor, { accountCode: account.accountCode, token })
  assert(signedIn.ok)
  const caller = await resolveSession(needs, { ...visitor, sessionKey: signedIn.value.sessionKey })
  assert(caller.ok)
  return { needs, caller: caller.value, record }
}

// The members of a request, at any depth, that carry the id of a thing, or a list of them.
function placesOf(schema: object): readonly Place[] {
  const members: Readonly<Record<string, object>> = 'properties' in schema ? Object(schema.properties) : {}
  return Object.entries(members).flatMap(([name, inner]): readonly Place[] => {
    if (/IDs?$/.test(name) && isWhole(inner)) return [[name]]
    return placesOf(inner).map((place) => [name, ...place])
  })
}

function isWhole(schema: object): boolean {
  // Nothing is looked up by it.
  if ('x-unused' in schema) return false
  if ('items' in schema && typeof schema.items === 'object' && schema.items) return isWhole(schema.items)
  return 'type' in schema && schema.type === 'integer'
}

let phones = 0

// Each to another phone, because nobody is sent many.
async function link(party: Party): Promise<number> {
  const { Msg } = inRecord(operationAt('Other/SMSPay').contract, party.record)
  phones += 1
  const Person = { Phone: `+1 212 555 ${String(phones).padStart(4, '0')}` }
  const made = await call(party, 'Other/SMSPay', { Msg: { ...Object(Msg), Person } })
  assert(made.ok)
  return foundAt(party, { path: 'Link/Query', made, member: 'LinkID' })
}

async function form(party: Party): Promise<number> {
  const body = inRecord(operationAt('CardSale/InitForm').contract, party.record)
  const made = await call(party, 'CardSale/InitForm', body)
  return foundAt(party, { path: 'Form/Query', made, member: 'FormID' })
}

type Made = { readonly path: string; readonly made: WireAnswer; readonly member: string }

// By the address that was answered, because that has no id.
async function foundAt(party: Party, { path, made, member }: Made): Promise<number> {
  assert(made.ok)
  const { PaymentUrl } = Object(made.reply.members)
  const [found] = listIn(await call(party, path, { RefID: '', PaymentUrl }))
  return Object(found)[member]
}

// What a search answers.
function listIn(answer: WireAnswer): readonly unknown[] {
  assert(answer.ok)
  const [list] = Object.values(answer.reply.members)
  assert(Array.isArray(list))
  return list
}

async function recurringConsent(party: Party): Promise<number> {
  return idFrom(await call(party, 'ConsentRecurring/Create', {}), 'ConsentID')
}

async function bankDebit(party: Party): Promise<number> {
  return idFrom(await call(party, 'ACH/Sale', {}), 'TxID')
}

async function webhook(party: Party): Promise<number> {
  const URL = `https://shop.example/${randomLetters()}`
  return idFrom(await call(party, 'Webhook/Add', { URL }), 'WebhookID')
}

async function scheduledPayment(party: Party): Promise<number> {
  const answer = await call(party, 'ConsentRecurring/Create', {})
  assert(answer.ok)
  const [first]: readonly { readonly SchedID: number }[] = Object(answer.reply.members).MySched
  assert(first)
  return first.SchedID
}

function make(party: Party, { path }: ContractFacts, member: string): Promise<number> {
  const maker = otherMakers[`${path} ${member}`] ?? makers[member]
  assert(maker, `say in makers how a ${member} is made`)
  return maker(party)
}

// The example of the operation, with things of the party's own.
async function ownBody(party: Party, contract: ContractFacts): Promise<Body> {
  let body: Body = { ...contract.example.request }
  // A search by an id and by nothing else.
  if (contract.load === 'query' && 'RefID' in body) body = { ...body, RefID: '' }
  for (const place of placesOf(contract.request)) {
    body = withId(body, place, await make(party, contract, place.at(-1) ?? ''))
  }
  return body
}

function withId(body: Body, [name = '', ...inner]: Place, id: number): Body {
  if (inner.length > 0) return { ...body, [name]: withId({ ...Object(body[name]) }, inner, id) }
  return { ...body, [name]: name.endsWith('IDs') ? [id] : id }
}

async function call({ needs, caller, record }: Party, path: string, body: Body): Promise<WireAnswer> {
  const operation = operationAt(path)
  const { contract } = operation
  const usual = inRecord(contract, record)
  const read = requestReader(contract.request)({ ...usual, ...body })
  assert(read.ok)
  return operation.answer(needs, caller, read.value)
}

function operationAt(path: string) {
  const operation = operations.find(({ contract }) => contract.path === path)
  assert(operation, `there is no operation ${path}`)
  return operation
}

// The example of the operation, for that merchant record.
function inRecord({ request, example }: ContractFacts, record: number): Body {
  const places = placesOf(request).filter((place) => place.at(-1) === 'MerchID')
  return places.reduce<Body>((body, place) => withId(body, place, record), { ...example.request })
}

function idFrom(answer: WireAnswer, member: string): number {
  assert(answer.ok)
  const id: unknown = new Map<string, unknown>(Object.entries(answer.reply.members)).get(member)
  assert(typeof id === 'number' && id > 0, `${member} was made`)
  return id
}

// What a caller is told, with the number it has sent itself left out.
function told(answer: WireAnswer, id: number): object {
  if (answer.ok) return { done: answer.reply }
  const { ErrCode, RespMsg } = refusedEnvelope(answer.refusal)
  return { ErrCode, RespMsg: RespMsg.replace(String(id), 'N'), members: answer.members }
}

// Every row that belongs to one of the parties, in whatever table, and what the bank has seen.
async function rowsOf(
  client: pg.Client | null,
  { bank }: World,
  parties: readonly Party[],
): Promise<ReadonlyMap<string, unknown>> {
  assert(client)
  const { rows: tables } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'account_id' order by 1`,
  )
  assert(tables.length > 0)
  const accounts = parties.map(({ caller }) => caller.accountId)
  const seen = new Map<string, unknown>([['bank', await bank.log.read({ last: 1_000 })]])
  for (const { name } of tables) {
    const sql = `select t::text as row from ${name} t where account_id = any($1) order by 1`
    seen.set(name, (await client.query(sql, [accounts])).rows)
  }
  return seen
}
