import { assert } from '#kernel/assert.ts'
import type { ColumnType } from '#platform/postgres/column-type.ts'

type Types = readonly ColumnType<unknown>[]
type NamedTypes = Readonly<Record<string, ColumnType<unknown>>>
type ValueOf<Type> = Type extends ColumnType<infer T> ? T : never
export type ValuesOf<Params extends Types> = { readonly [At in keyof Params]: ValueOf<Params[At]> }
export type RowOf<Columns extends NamedTypes> = { readonly [Name in keyof Columns]: ValueOf<Columns[Name]> }

// One statement, one name from the domain. It is prepared under that name once per connection.
export type Statement<Params extends Types = Types, Columns extends NamedTypes = NamedTypes> = {
  readonly name: string
  readonly params: Params
  readonly columns: Columns
  readonly text: string
  // How long its answer is waited for where that is longer than usual.
  readonly patienceMs?: number
}

// Every statement of the loaded code, so that a test can prepare them all against the migrated database.
const declared = new Map<string, Statement>()

export function statement<const Params extends Types, const Columns extends NamedTypes>(
  name: string,
  params: Params,
  columns: Columns,
  text: string,
): Statement<Params, Columns> {
  assert(!declared.has(name), `the name ${name} belongs to one statement only`)
  const made = { name, params, columns, text }
  declared.set(name, made)
  return made
}

// For the few statements that may take their time. The transaction must allow the server the same time.
export function patient<Params extends Types, Columns extends NamedTypes>(
  made: Statement<Params, Columns>,
  patienceMs: number,
): Statement<Params, Columns> {
  return { ...made, patienceMs }
}

export function declaredStatements(): readonly Statement[] {
  return [...declared.values()]
}
