import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createConnection, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { testConnection } from './test-cluster.ts'

export type Pooler = {
  readonly connection: { readonly connectionString: string }
  // From now on, as one that is told to ignore what it does not know. Everybody has to connect anew.
  keepSettingsBack(): void
  // From now on it hangs up on nobody, not even when it is told goodbye.
  keepEverybody(): void
  // From now on it lets nobody in sooner.
  dawdle(ms: number): void
}

type Lasting = { after(work: () => void): void }

// What stands before PostgreSQL: at first it passes everything on, as a relay would.
export async function startPooler(t: Lasting, database: string): Promise<Pooler> {
  const { host = '' } = testConnection(database)
  const callers = new Set<Socket>()
  let isKeepingBack = false
  let isKeepingEverybody = false
  let dawdleMs = 0
  const pooler = createServer({ allowHalfOpen: true }, (caller) => {
    const server = createConnection(join(host, '.s.PGSQL.5432'))
    callers.add(caller)
    caller.on('error', () => undefined).on('close', () => callers.delete(caller) && server.destroy())
    server.on('error', () => undefined).on('close', () => isKeepingEverybody || caller.destroy())
    caller.once('data', (start) => {
      const said = Buffer.from(start)
      setTimeout(() => {
        server.write(isKeepingBack ? withoutOptions(said) : said)
        caller.pipe(server).pipe(caller, { end: false })
      }, dawdleMs)
    })
  })
  const hangUp = (): void => callers.forEach((caller) => caller.destroy())
  t.after(() => {
    pooler.close()
    hangUp()
  })
  await once(pooler.listen(0, '127.0.0.1'), 'listening')
  const address = pooler.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    connection: { connectionString: `postgresql://tillgate@127.0.0.1:${port}/${database}` },
    keepSettingsBack: () => {
      isKeepingBack = true
      hangUp()
    },
    keepEverybody: () => {
      isKeepingEverybody = true
    },
    dawdle: (ms) => {
      dawdleMs = ms
    },
  }
}

// The first message of a session is its length, a version, and names and values that end with a zero each.
function withoutOptions(start: Buffer): Buffer {
  const words = start.subarray(8, -2).toString('latin1').split('\0')
  const at = words.findIndex((word, index) => index % 2 === 0 && word === 'options')
  assert(at >= 0, 'our sessions bring options')
  const body = Buffer.from(`${words.toSpliced(at, 2).join('\0')}\0\0`, 'latin1')
  const head = Buffer.from(start.subarray(0, 8))
  head.writeInt32BE(8 + body.length)
  return Buffer.concat([head, body])
}
