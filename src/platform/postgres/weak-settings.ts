import { readConnectionLimit, readServerSettings } from '#platform/postgres/check-database.store.ts'
import type { Queryable } from '#platform/postgres/database.ts'

const risks: Readonly<Record<string, { readonly weak: (value: string) => boolean; readonly risk: string }>> =
  {
    fsync: { weak: isOff, risk: 'a crash of the machine may destroy everything' },
    full_page_writes: { weak: isOff, risk: 'a crash of the machine may destroy everything' },
    synchronous_commit: { weak: isOff, risk: 'a crash of PostgreSQL forgets payments that were made' },
    server_encoding: { weak: (value) => value !== 'UTF8', risk: 'not every name can be stored' },
  }

function isOff(value: string): boolean {
  return value === 'off'
}

// What a server is set to and must not be: it works, until the machine crashes or somebody has another name.
export async function findWeakSettings({
  db,
  connectionsNeeded,
}: {
  readonly db: Queryable
  // By one process.
  readonly connectionsNeeded: number
}): Promise<readonly string[]> {
  const settings = await readServerSettings(db)
  const connections = await readConnectionLimit(db)
  const few =
    `${connections} connections are allowed, and each process needs up to ${connectionsNeeded}: ` +
    'when they run out calls are refused'
  const weak = Object.entries(settings).flatMap(([name, value]) => {
    const judged = risks[name]
    return judged?.weak(value) ? [`${name} is ${value}: ${judged.risk}`] : []
  })
  return connections < connectionsNeeded ? [...weak, few] : weak
}
