import { randomBytes } from 'node:crypto'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import type { BankLog, Entry, Filed } from './bank-log.ts'
import { Books } from './books.ts'

// One line of JSON per request, forced to the disk before the answer is given out; requests that come in
// meanwhile share the next force. The first line holds the key. Opening reads everything again.

const newline = 0x0a

export async function openFileLog(path: string): Promise<BankLog> {
  const books = new Books({ keepsRows: true })
  const { key, goodBytes } = await replay(path, books)
  const file = await open(path, goodBytes === 0 ? 'w' : 'r+')
  // What a crash tore off was never answered, so it is dropped.
  await file.truncate(goodBytes)
  const writer = new ForcedWriter(file, goodBytes)
  if (goodBytes === 0) await writer.append(`${JSON.stringify({ key: key.toString('hex') })}\n`)
  return {
    key,
    file: async (entry): Promise<Filed> => {
      // Lines stand in the order in which they were judged, so that reading them again judges the same.
      const filed = books.apply(entry)
      await writer.append(`${printEntry(entry)}\n`)
      return filed
    },
    refusalsInARow: async (mark) => books.refusalsInARow(mark),
    read: async (query) => books.read(query),
    async *report(from, to) {
      yield* books.report(from, to)
    },
    async *disputes(from, to) {
      yield* books.disputes(from, to)
    },
    close: async () => {
      await writer.idle()
      await file.close()
    },
  }
}

type Replayed = { readonly key: Buffer; readonly goodBytes: number }

async function replay(path: string, books: Books): Promise<Replayed> {
  const bytes = await readIfThere(path)
  const goodBytes = bytes.lastIndexOf(newline) + 1
  const [head, ...lines] = bytes.subarray(0, goodBytes).toString('utf8').split('\n')
  if (goodBytes === 0 || head === undefined) return { key: randomBytes(32), goodBytes: 0 }
  const { key }: { readonly key: string } = JSON.parse(head)
  for (const line of lines) {
    if (line !== '') books.apply(parseEntry(line))
  }
  return { key: Buffer.from(key, 'hex'), goodBytes }
}

async function readIfThere(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

const moments = new Set(['at', 'chargebackAt', 'hiddenUntil', 'silentUntil'])

function printEntry(entry: Entry): string {
  return JSON.stringify(entry, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

function parseEntry(line: string): Entry {
  return JSON.parse(line, (name, value: unknown) => {
    if (typeof value !== 'string') return value
    if (name.endsWith('Minor')) return BigInt(value)
    return moments.has(name) ? Temporal.Instant.from(value) : value
  })
}

// Sends at once when idle and collects while busy.
class ForcedWriter {
  readonly #file: FileHandle
  #offset: number
  #waiting: {
    readonly line: string
    readonly resolve: () => void
    readonly reject: (reason: unknown) => void
  }[] = []
  #busy: Promise<void> | null = null

  constructor(file: FileHandle, offset: number) {
    this.#file = file
    this.#offset = offset
  }

  append(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line, resolve, reject })
      this.#busy ??= this.#drain()
    })
  }

  async idle(): Promise<void> {
    await this.#busy
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      try {
        const bytes = Buffer.from(batch.map(({ line }) => line).join(''))
        await this.#file.write(bytes, 0, bytes.length, this.#offset)
        await this.#file.datasync()
        this.#offset += bytes.length
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#busy = null
  }
}
