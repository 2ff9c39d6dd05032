import { readdirSync } from 'node:fs'
import { allowedCores } from '#platform/processor-cores.ts'
import { readIfPresent } from '#platform/read-if-present.ts'
import { runTool } from '#platform/run-tool.ts'

const { failure } = await runTool(['taskset', '-p', String(process.pid)])
// Such as macOS, where workers go wherever the system puts them.
export const whereCoresAreChosen = { skip: failure === null ? false : 'needs taskset' }

type CoresOfThreads = { readonly main: string; readonly others: readonly string[] }

// Of every thread of a process. One that ends meanwhile has none.
export function readCores(id: number): CoresOfThreads {
  const others = readThreads(id).filter((thread) => thread !== String(id))
  return {
    main: coresOf(id, String(id)),
    others: others.map((thread) => coresOf(id, thread)).filter(Boolean),
  }
}

function readThreads(id: number): readonly string[] {
  try {
    return readdirSync(`/proc/${id}/task`)
  } catch {
    return []
  }
}

function coresOf(id: number, thread: string): string {
  return allowedCores(readIfPresent(`/proc/${id}/task/${thread}/status`) ?? '').join(',')
}
