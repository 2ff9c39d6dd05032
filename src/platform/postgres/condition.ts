import { assert } from '#kernel/assert.ts'
import type { ColumnType } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import type { RowOf, Statement, ValuesOf } from '#platform/postgres/statement.ts'

// A condition that is known only when it is asked for. It is made of template texts that stand in our code,
// and of bound values: nothing that comes from outside can become text of a statement.

type Bound = { readonly type: ColumnType<unknown>; readonly value: unknown }
export type Fragment = { readonly pieces: readonly (string | Bound)[] }

// Where a declared statement takes its condition. It is a whole statement without one, so it is compared with
// the migrated database like any other.
const gap = 'true /* condition */'

export function sql(texts: TemplateStringsArray, ...parts: readonly Fragment[]): Fragment {
  return { pieces: texts.flatMap((text, at) => [text, ...(parts[at]?.pieces ?? [])]) }
}

export function bind<T>(type: ColumnType<T>, value: T): Fragment {
  return { pieces: [{ type, value }] }
}

type Narrowing<Params extends Statement['params'], Columns extends Statement['columns']> = {
  readonly statement: Statement<Params, Columns>
  readonly values: ValuesOf<Params>
  readonly condition: Fragment
}

// Runs a statement with the condition in its gap. It has no name, so it is planned for these very values.
export function runNarrowed<Params extends Statement['params'], Columns extends Statement['columns']>(
  db: Queryable,
  { statement, values, condition }: Narrowing<Params, Columns>,
): Promise<readonly RowOf<Columns>[]> {
  assert(statement.text.split(gap).length === 2, 'there is one gap for the condition')
  const bound = condition.pieces.filter((piece) => typeof piece !== 'string')
  const narrowed: Statement<readonly ColumnType<unknown>[], Columns> = {
    name: '',
    params: [...statement.params, ...bound.map(({ type }) => type)],
    columns: statement.columns,
    text: statement.text.replace(gap, () => textOf(condition, statement.params.length)),
  }
  return db.run(narrowed, [...values, ...bound.map(({ value }) => value)])
}

function textOf({ pieces }: Fragment, taken: number): string {
  let number = taken
  const texts = pieces.map((piece) => {
    if (typeof piece === 'string') return piece
    number += 1
    return `$${number}::${piece.type.name}`
  })
  return `(${texts.join('')})`
}
