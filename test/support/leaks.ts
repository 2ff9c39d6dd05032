import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'

// Every row of every table of the gateway, as text.
export async function dumpTables(client: pg.Client): Promise<Buffer> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const lines: string[] = []
  for (const { name } of tables) {
    const { rows } = await client.query<{ line: string }>(`select t::text as line from ${name} t`)
    lines.push(...rows.map(({ line }) => line))
  }
  return Buffer.from(lines.join('\n'))
}

// Every form in which a number could lie about: as digits, as people write it, packed two digits to a byte,
// and as base64 or hexadecimal of the digits, wherever the group of three bytes begins.
export function formsOf(digits: string): readonly Buffer[] {
  const groups = digits.match(/.{1,4}/g) ?? []
  const amex = [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10)]
  const spaced = [groups, amex].flatMap((parts) => [' ', '-'].map((mark) => parts.join(mark)))
  const encoded = [0, 1, 2].map((offset) => {
    const text = Buffer.from(' '.repeat(offset) + digits).toString('base64')
    return text.slice(offset === 0 ? 0 : 4, -4)
  })
  const hex = Buffer.from(digits).toString('hex')
  const packed = [digits.slice(0, digits.length & ~1), digits.slice(digits.length & 1)]
  return [
    ...[digits, hex, hex.toUpperCase(), ...spaced, ...encoded].map((text) => Buffer.from(text, 'latin1')),
    ...packed.map((even) => Buffer.from(even, 'hex')),
  ]
}

export type LogPosition = { readonly name: string; readonly offset: number }

// Writes out what the server still holds in memory, and answers where its write-ahead log stands.
export async function logPosition(client: pg.Client): Promise<LogPosition> {
  const { rows } = await client.query<LogPosition>(
    `select file_name as name, file_offset as offset
     from pg_walfile_name_offset(pg_logical_emit_message(false, 'scan', '', true))`,
  )
  const [position] = rows
  if (!position) throw new Error('The database did not say where its log stands')
  return position
}

// What was written to the write-ahead log since then, or null where its files cannot be read.
export async function logSince(client: pg.Client, start: LogPosition): Promise<Buffer | null> {
  const end = await logPosition(client)
  const { rows } = await client.query<{ folder: string }>(
    `select current_setting('data_directory') as folder`,
  )
  const logFolder = join(rows[0]?.folder ?? '', 'pg_wal')
  const names = await readdir(logFolder).catch(() => null)
  const wanted = names?.filter(
    (name) => /^[0-9A-F]{24}$/.test(name) && name >= start.name && name <= end.name,
  )
  if (!wanted) return null
  const parts = wanted.toSorted().map(async (name) => {
    const to = name === end.name ? end.offset : undefined
    return (await readFile(join(logFolder, name))).subarray(name === start.name ? start.offset : 0, to)
  })
  return Buffer.concat(await Promise.all(parts))
}

// Whether a short code of digits is written there: standing alone, or as hexadecimal or base64 of its digits.
// Four digits stand somewhere by chance, so a call is made with several codes, and all are looked for.
export function hasCode(bytes: Buffer, code: string): boolean {
  const written = Buffer.from(code)
  const [hex, base64] = [written.toString('hex'), written.toString('base64').slice(0, 5)]
  const alone = new RegExp(`(?<![0-9A-Za-z])${code}(?![0-9a-f])|${hex}|${base64}`)
  return alone.test(bytes.toString('latin1'))
}
