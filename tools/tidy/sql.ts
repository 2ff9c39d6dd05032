import { isInSource, isTest, roomOf } from './project.ts'
import type { Breach, Project } from './project.ts'
import { statementCallsOf, writtenTablesOf } from './sql-text.ts'

// SQL stands in stores, and one table is written by one slice.
export function checkSql(project: Project): Breach[] {
  return [...checkHomes(project), ...checkWriters(project)]
}

function checkHomes({ files }: Project): Breach[] {
  const others = files.filter(({ path }) => isInSource(path) && isCodeWithoutSql(path))
  return others.flatMap((file) =>
    statementCallsOf(file).map(({ line }) =>
      breach(
        file.path,
        line,
        'calls statement(...); SQL stands in stores only: move it to a .store.ts beside',
      ),
    ),
  )
}

function isCodeWithoutSql(path: string): boolean {
  return path.endsWith('.ts') && !path.endsWith('.store.ts') && !isTest(path)
}

type Writer = { readonly path: string; readonly line: number; readonly room: string }

function checkWriters({ files }: Project): Breach[] {
  const writers = new Map<string, Writer>()
  const stores = files.filter(({ path }) => path.endsWith('.store.ts'))
  return stores.flatMap((file) =>
    writtenTablesOf(file).flatMap(({ table, line }) => {
      const room = roomOf(file.path)
      const first = writers.get(table)
      if (first === undefined) writers.set(table, { path: file.path, line, room })
      if (first === undefined || first.room === room) return []
      const rival = `${first.room} (${first.path}:${first.line})`
      const message = `${room} writes table '${table}', which ${rival} writes too`
      return [breach(file.path, line, `${message}; one of them must call the other, follow, or use an event`)]
    }),
  )
}

function breach(path: string, line: number, message: string): Breach {
  return { path, line, rule: 'sql', message }
}
