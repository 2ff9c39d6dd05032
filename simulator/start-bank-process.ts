import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LogQuery, LogRow } from './bank-log.ts'
import type { Chaos, FaultRule } from './fault-script.ts'
import { type BankAddress, type Control, parseLogRows, printRequest } from './link-protocol.ts'

// Starts the bank as a process, for tests that kill things.
export type BankProcess = {
  readonly address: BankAddress
  readonly processId: number
  addFault(rule: FaultRule): Promise<void>
  setChaos(chaos: Chaos | null): Promise<void>
  clearFaults(): Promise<void>
  readLog(query: LogQuery): Promise<readonly LogRow[]>
  // Asks it to end, and waits.
  stop(): Promise<void>
  // kill -9, and waits.
  kill(): Promise<void>
  // Closes its standard input, as the end of its starter does, and waits.
  leave(): Promise<void>
}

type StartOptions = {
  readonly logFile: string
  // The path of a socket, or a port; 0 takes a free one.
  readonly listen: string | number
  readonly pace?: number
  readonly seed?: string
}

export async function startBankProcess(options: StartOptions): Promise<BankProcess> {
  const { logFile, listen, pace = 1, seed = 'sandbox' } = options
  const script = join(import.meta.dirname, 'process.ts')
  const args = ['--log', logFile, '--listen', String(listen), '--pace', String(pace), '--seed', seed]
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [first]: unknown[] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => Promise.reject(new Error('The bank process ended before it was ready'))),
  ])
  const address: BankAddress = JSON.parse(String(first))
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    await exited
  }
  return {
    address,
    processId: child.pid ?? 0,
    addFault: async (rule) => void (await control(address, { verb: 'control', do: 'fault', rule })),
    setChaos: async (chaos) => void (await control(address, { verb: 'control', do: 'chaos', chaos })),
    clearFaults: async () => void (await control(address, { verb: 'control', do: 'clear' })),
    readLog: async (query) => parseLogRows(await control(address, { verb: 'control', do: 'log', query })),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    leave: async () => {
      child.stdin.end()
      await exited
    },
  }
}

async function control(address: BankAddress, asked: Control): Promise<string> {
  const socket = connect(address)
  try {
    await once(socket, 'connect')
    socket.write(printRequest(asked))
    const [line]: unknown[] = await once(createInterface({ input: socket }), 'line')
    return String(line)
  } finally {
    socket.destroy()
  }
}
