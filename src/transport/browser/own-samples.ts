import { isAbsolute, join, relative } from 'node:path'

// The pages in docs/ are written for a gateway on its usual port and with its usual folder. A gateway that
// serves them shows its own, so that what a reader copies into a terminal in the folder of the project works.

export type OwnPlace = {
  readonly baseUrl: string
  // Of a sandbox, null otherwise.
  readonly dataFolder: string | null
}

const projectFolder = join(import.meta.dirname, '..', '..', '..')
const usualAddress = 'http://127.0.0.1:8080'
const usualFolder = './data'
// Others would have to be quoted, in samples that are between two kinds of quotes already.
const plainPath = /^[\w./-]+$/

export function withOwnSamples(source: string, { baseUrl, dataFolder }: OwnPlace): string {
  const text = source.replaceAll(usualAddress, baseUrl)
  const folder = dataFolder === null ? usualFolder : fromProject(dataFolder)
  if (folder === usualFolder || !plainPath.test(folder)) return text
  return text
    .replaceAll(`${usualFolder}/sandbox.json`, `${folder}/sandbox.json`)
    .replaceAll(/^(?=node bin\/tillgate\.cjs )/gm, `DATA_DIR=${folder} `)
}

function fromProject(folder: string): string {
  const path = relative(projectFolder, folder)
  return path.startsWith('..') || isAbsolute(path) ? folder : `./${path}`
}
