import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

// A process of the benchmark's own that answers one message at a time. It ends when the benchmark does,
// however that ends: see endWithParent.
export type Child = {
  readonly processId: number
  ask(question: object, patienceMs: number): Promise<unknown>
  stop(): Promise<void>
}

// In a process group of its own, so that a Ctrl-C reaches it through the benchmark alone.
export function startChild(moduleUrl: string): Child {
  const child = fork(fileURLToPath(moduleUrl), {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return {
    processId: child.pid ?? 0,
    ask: (question, patienceMs) => ask(child, question, patienceMs),
    stop: () => kill(child),
  }
}

async function ask(child: ChildProcess, question: object, patienceMs: number): Promise<unknown> {
  const done = new AbortController()
  try {
    const signal = AbortSignal.any([done.signal, AbortSignal.timeout(patienceMs)])
    const ended = once(child, 'exit', { signal }).then(() => {
      throw new Error('A process of the benchmark ended too early')
    })
    const answered = once(child, 'message', { signal })
    child.send(question)
    const [answer] = await Promise.race([answered, ended])
    return answer
  } finally {
    done.abort()
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

// For the other side.
export function endWithParent(): void {
  process.on('disconnect', () => process.exit())
}

export function tellParent(answer: object): void {
  process.send?.(answer)
}
