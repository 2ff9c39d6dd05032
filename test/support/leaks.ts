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
