import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type BankProcess, startBankProcess } from '../../simulator/start-bank-process.ts'
import { type Home, openHome } from './gateway-process.ts'
import { administer, testConnection } from './test-cluster.ts'

export type Town = {
  readonly home: Home
  readonly bank: BankProcess
  readonly database: string
  // What a gateway needs to find both.
  readonly env: { readonly DATABASE_URL: string; readonly TILLGATE_BANK: string }
}

// A home whose gateways have a database and a bank outside of them, which outlive whoever is killed.
export async function openTown(scope: { after(clean: () => Promise<void>): void }): Promise<Town> {
  const home = openHome(scope)
  const database = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${database}`)
  const socket = join(home.folder, 'bank.sock')
  const bank = await startBankProcess({ logFile: join(home.folder, 'bank.log'), listen: socket, pace: 0.02 })
  scope.after(() => bank.kill())
  const { host = '' } = testConnection(database)
  const DATABASE_URL = `postgresql://tillgate@/${database}?host=${encodeURIComponent(host)}`
  return { home, bank, database, env: { DATABASE_URL, TILLGATE_BANK: socket } }
}
