import type { Breach } from './project.ts'

export type GeneratedFile = { readonly path: string; render(): Promise<string> }

// Answers the generated files that are missing or no longer say what their sources say.
export async function staleFiles(
  read: (path: string) => Promise<string | null>,
  generated: readonly GeneratedFile[],
): Promise<Breach[]> {
  const checks = generated.map(async (file): Promise<Breach[]> => {
    const { path } = file
    const [stored, fresh] = await Promise.all([read(path), file.render()])
    if (stored === fresh) return []
    const message =
      stored === null
        ? 'is missing; it is generated: run `npm run schema` and `npm run docs`'
        : 'is stale; do not edit it, run `npm run schema` and `npm run docs`'
    return [{ path, line: firstDifference(stored ?? '', fresh), rule: 'generated', message }]
  })
  return (await Promise.all(checks)).flat()
}

function firstDifference(stored: string, fresh: string): number {
  const lines = fresh.split('\n')
  const at = stored.split('\n').findIndex((line, index) => line !== lines[index])
  return at === -1 ? 1 : at + 1
}
