import type pg from 'pg'
import { type Challenge, type ChallengeBook, forgottenBefore } from './challenge.ts'
import { lockSchema, unlockSchema } from './bank-schema.ts'
import { type BankConnection, bankPool } from './postgres-log.ts'

const createTable = `
create schema if not exists bank;
create table if not exists bank.challenge (
  id text primary key,
  merchant_name text not null,
  amount text not null,
  last_four text not null,
  return_to text not null,
  code text not null,
  state text not null,
  wrong_codes integer not null,
  made_at timestamptz not null
);
create index if not exists challenge_by_time on bank.challenge (made_at)`

const columns = 'id, merchant_name, amount, last_four, return_to, code, state, wrong_codes, made_at'

type Row = {
  readonly id: string
  readonly merchant_name: string
  readonly amount: string
  readonly last_four: string
  readonly return_to: string
  readonly code: string
  readonly state: Challenge['state']
  readonly wrong_codes: string
  readonly made_at: string
}

// Challenges in the bank's own schema, so that whichever gateway the payer comes to knows them.
export async function openPostgresChallenges(connection: BankConnection): Promise<ChallengeBook> {
  const pool = bankPool(connection, 2)
  try {
    await prepare(pool)
  } catch (error) {
    await pool.end()
    throw error
  }
  return {
    open: async (challenge) => {
      const before = forgottenBefore(challenge).toString()
      await pool.query('delete from bank.challenge where made_at < $1', [before])
      await pool.query(
        `insert into bank.challenge (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        valuesOf(challenge),
      )
    },
    find: async (id) => {
      const { rows } = await pool.query<Row>(`select ${columns} from bank.challenge where id = $1`, [id])
      return rows[0] ? challengeFrom(rows[0]) : null
    },
    change: (id, how) => change(pool, id, how),
    close: () => pool.end(),
  }
}

async function prepare(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(lockSchema)
    const { rows } = await client.query<{ found: string }>(
      `select to_regclass('bank.challenge_by_time') is not null as found`,
    )
    if (rows[0]?.found !== 't') await client.query(createTable)
    await client.query(unlockSchema)
  } finally {
    client.release()
  }
}

async function change(
  pool: pg.Pool,
  id: string,
  how: (challenge: Challenge) => Challenge,
): Promise<Challenge | null> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<Row>(
      `select ${columns} from bank.challenge where id = $1 for update`,
      [id],
    )
    const after = rows[0] ? how(challengeFrom(rows[0])) : null
    if (after)
      await client.query('update bank.challenge set state = $2, wrong_codes = $3 where id = $1', [
        id,
        after.state,
        after.wrongCodes,
      ])
    await client.query('commit')
    return after
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

function valuesOf(challenge: Challenge): readonly unknown[] & unknown[] {
  const { id, merchantName, amount, lastFour, returnTo, code, state, wrongCodes, madeAt } = challenge
  return [id, merchantName, amount, lastFour, returnTo, code, state, wrongCodes, madeAt.toString()]
}

function challengeFrom(row: Row): Challenge {
  return {
    id: row.id,
    merchantName: row.merchant_name,
    amount: row.amount,
    lastFour: row.last_four,
    returnTo: row.return_to,
    code: row.code,
    state: row.state,
    wrongCodes: Number(row.wrong_codes),
    madeAt: Temporal.Instant.from(row.made_at),
  }
}
