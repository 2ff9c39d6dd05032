import { importsOf } from './imports.ts'
import { floorOf, isTest } from './project.ts'
import type { Breach, Project } from './project.ts'

const floorsBelow = new Set(['capabilities', 'engine', 'platform', 'kernel'])
const packages = /^(?:fastify|@fastify\/.*|@scalar\/.*|(?:node:)?http2?|(?:node:)?https|undici|saxes|soap)$/

// Calls to the outside world need HTTP; everything else that knows it is transport.
const foldersThatCallOut = ['src/platform/outbound/']

// Nothing below transport mentions HTTP or XML.
export function checkTransportOnly(project: Project): Breach[] {
  const files = project.files.filter(({ path }) => floorsBelow.has(floorOf(path) ?? '') && !isTest(path))
  return files.flatMap((file) =>
    importsOf(file)
      .filter(({ specifier }) => packages.test(specifier) && !mayCallOut(file.path))
      .map(({ specifier, line }) => ({
        path: file.path,
        line,
        rule: 'transport only',
        message: `imports '${specifier}'; nothing below transport knows HTTP or XML: move it to transport`,
      })),
  )
}

function mayCallOut(path: string): boolean {
  return foldersThatCallOut.some((folder) => path.startsWith(folder))
}
