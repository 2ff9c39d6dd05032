import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openHome } from '../support/gateway-process.ts'
import { useTestDatabase } from '../support/test-database.ts'
import { withClient } from '../support/with-client.ts'

describe('where somebody has entered a posting by hand', () => {
  const home = openHome({ after })
  const database = useTestDatabase()
  const environment = () => ({ DATABASE_URL: database().url, KEYS_DIR: join(home.folder, 'keys') })
  const day = ['--from', '2027-01-15', '--to', '2027-01-15']

  before(async () => {
    await withClient(database().connection, (client) =>
      client.query(
        `insert into journal (attempt_id, account_id, merchant_number, debit, credit, amount_minor, currency,
         created_at)
     values (57, 1, 1, 'receivable', 'payable', 1000, 'USD', '2027-01-15T12:00Z')`,
      ),
    )
  })

  test('ledger verify lists books that do not agree, for people and for scripts, and fails', async () => {
    const told = await home.runCli(['ledger', 'verify'], environment())
    assert.deepEqual(
      [told.code, told.stderr],
      [1, 'The books do not agree with the payments.\n'],
      told.stdout,
    )
    assert.match(told.stdout, /WRONG/)
    const { code, stdout } = await home.runCli(['ledger', 'verify', '--json'], environment())
    const [line] = JSON.parse(stdout) as readonly Record<string, string>[]
    assert.deepEqual([code, line?.['currency'], line?.['verdict']], [1, 'USD', 'WRONG'])
  })

  test('reconcile counts the differences for scripts, names them for people, and fails', async () => {
    const { code, stdout, stderr } = await home.runCli(['reconcile', ...day, '--json'], environment())
    assert.deepEqual([code, JSON.parse(stdout)], [1, [{ transactions: 0, differences: 1 }]], stderr)
    assert.match(stderr, /57/)
    assert.match(stderr, /0 transactions from 2027-01-15 to 2027-01-15 compared: 1 difference\.\n$/)
  })
})
