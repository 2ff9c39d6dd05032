import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { type ColumnType, int4, int8, text } from '#platform/postgres/column-type.ts'
import { declaredStatements, type Statement } from '#platform/postgres/statement.ts'
import { loadStores } from '../support/stores.ts'
import { templateConnection } from '../support/test-cluster.ts'

// What PostgreSQL says of a statement: the types of its parameters, and the names and types of its columns.
type Described = {
  readonly params: readonly number[]
  readonly columns: readonly (readonly [string, number])[]
}

const namesInStores = (await Promise.all((await loadStores()).map(namesIn))).flat()
// Tests declare statements of their own, and all of them may have been loaded into this process.
const statements = declaredStatements().filter(({ name }) => namesInStores.includes(name))

async function namesIn(path: string): Promise<readonly string[]> {
  const code = await readFile(path, 'utf8')
  return Array.from(code.matchAll(/\bstatement\(\s*'(\w+)'/g), ([, name = '']) => name)
}

describe('every statement against the migrated database', () => {
  const client = useTemplateClient()

  test('every statement that a store writes is declared under its name', () => {
    assert(statements.length > 0)
    assert.deepEqual(statements.map(({ name }) => name).toSorted(), namesInStores.toSorted())
  })

  for (const statement of statements) {
    test(`${statement.name} takes and gives what it declares`, async () => {
      assert.deepEqual(await problemsOf(client(), statement), [])
    })
  }
})

describe('the check of statements itself', () => {
  const client = useTemplateClient()
  const right = {
    name: 'planted',
    params: [int8],
    columns: { account_id: int8, account_code: text },
    text: 'select account_id, account_code from account where account_id = $1',
  }
  const planted: readonly [string, Statement, readonly string[]][] = [
    ['accepts a statement that is right', right, []],
    ['sees a parameter of the wrong type', { ...right, params: [text] }, ['parameters are int8, not text']],
    [
      'sees a parameter too many',
      { ...right, params: [int8, text] },
      ['parameters are int8, not int8, text'],
    ],
    [
      'sees a column of the wrong type',
      { ...right, columns: { account_id: int4, account_code: text } },
      ['account_id is int8, not int4'],
    ],
    [
      'sees a column of another name',
      { ...right, columns: { account_id: int8, code: text } },
      ['account_code is not declared', 'code is not selected'],
    ],
    [
      'sees a column that is not declared',
      { ...right, columns: { account_id: int8 } },
      ['account_code is not declared'],
    ],
    [
      'sees a column that is not selected',
      { ...right, columns: { ...right.columns, state: text } },
      ['state is not selected'],
    ],
    [
      'sees a table that does not exist',
      { ...right, text: 'select account_id, account_code from nowhere where account_id = $1' },
      ['relation "nowhere" does not exist'],
    ],
    [
      'sees a parameter whose type is left open',
      { ...right, text: `select date_trunc('minute', $1)` },
      ['function date_trunc(unknown, unknown) is not unique'],
    ],
    [
      'sees columns where none are declared',
      { ...right, columns: {} },
      ['account_id is not declared', 'account_code is not declared'],
    ],
  ]
  for (const [what, statement, problems] of planted) {
    test(what, async () => {
      assert.deepEqual(await problemsOf(client(), statement), problems)
    })
  }
})

async function problemsOf(client: pg.Client, statement: Statement): Promise<readonly string[]> {
  let described: Described
  try {
    described = await describeStatement(client, statement.text)
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
  const params = described.params.map(typeName).join(', ')
  const declaredParams = statement.params.map(({ oid }) => typeName(oid)).join(', ')
  const columns = new Map(described.columns)
  const declared = new Map(Object.entries<ColumnType<unknown>>(statement.columns))
  const doubled = columns.size < described.columns.length
  return [
    ...(params === declaredParams ? [] : [`parameters are ${params}, not ${declaredParams}`]),
    ...(doubled ? ['two columns have one name'] : []),
    ...[...columns].flatMap(([name, oid]) => wrongColumn(name, oid, declared.get(name))),
    ...[...declared.keys()].filter((name) => !columns.has(name)).map((name) => `${name} is not selected`),
  ]
}

function wrongColumn(
  name: string,
  oid: number,
  declared: ColumnType<unknown> | undefined,
): readonly string[] {
  if (!declared) return [`${name} is not declared`]
  return declared.oid === oid ? [] : [`${name} is ${typeName(oid)}, not ${typeName(declared.oid)}`]
}

const typeNames = new Map<number, string>()

function typeName(oid: number): string {
  return typeNames.get(oid) ?? `type ${oid}`
}

// Asks in the driver's own protocol, as the gateway does when it prepares: nothing is run, so nothing is
// changed.
function describeStatement(client: pg.Client, sql: string): Promise<Described> {
  return new Promise((resolve, reject) => {
    let params: readonly number[] = []
    let columns: Described['columns'] = []
    client.query({
      submit: (connection: pg.Connection) => {
        connection.removeAllListeners('parameterDescription')
        connection.once('parameterDescription', ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
          params = dataTypeIDs
        })
        connection.parse({ name: '', text: sql, types: [] }, true)
        connection.describe({ type: 'S', name: '' }, true)
        connection.sync()
      },
      handleRowDescription: ({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }) => {
        columns = fields.map(({ name, dataTypeID }) => [name, dataTypeID])
      },
      handleError: reject,
      handleReadyForQuery: () => resolve({ params, columns }),
    })
  })
}

function useTemplateClient(): () => pg.Client {
  let client: pg.Client | null = null
  before(async () => {
    client = new pg.Client(templateConnection())
    await client.connect()
    const { rows } = await client.query<{ oid: number; name: string }>(
      'select oid::int8::int4 as oid, typname as name from pg_type',
    )
    for (const { oid, name } of rows) typeNames.set(oid, name)
  })
  after(() => client?.end())
  return () => {
    if (!client) throw new Error('The connection exists only while tests run')
    return client
  }
}
