import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { Bank } from './bank.ts'
import { serveBank } from './bank-server.ts'
import { openFileLog } from './file-log.ts'
import type { BankAddress } from './link-protocol.ts'

// The bank as a process of its own:
//   node simulator/process.ts --log FILE --listen PATH_OR_PORT [--pace 0.02] [--seed TEXT]
// Prints its address as a line of JSON when it is ready. Ends on SIGTERM, on the control message `stop`, and
// when its standard input ends, so that it never outlives whoever started it.

const { values } = parseArgs({
  options: {
    log: { type: 'string' },
    listen: { type: 'string' },
    pace: { type: 'string', default: '1' },
    seed: { type: 'string', default: 'sandbox' },
  },
})
if (values.log === undefined || values.listen === undefined) throw new Error('--log and --listen are needed')

const address: BankAddress = /^\d+$/.test(values.listen)
  ? { host: '127.0.0.1', port: Number(values.listen) }
  : { path: values.listen }
// The socket of a predecessor that was killed.
if ('path' in address) await rm(address.path, { force: true })

const log = await openFileLog(values.log)
const bank = new Bank({
  log,
  pace: Number(values.pace),
  seed: values.seed,
  // A bank that cannot write its log must not go on answering from memory.
  onFault: (error) => {
    process.stderr.write(`${String(error)}\n`)
    process.exit(1)
  },
})
const stopped = Promise.withResolvers<void>()
const server = await serveBank(bank, { address, onStop: stopped.resolve })
process.on('SIGTERM', stopped.resolve)
process.stdin.on('end', stopped.resolve).resume()
process.stdout.write(`${JSON.stringify(server.address)}\n`)

await stopped.promise
bank.close()
await server.close()
await log.close()
// Standard input may still be open, and nothing is left to do.
process.exit(0)
