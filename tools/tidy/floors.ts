import { importsOf } from './imports.ts'
import type { Import } from './imports.ts'
import { floorOf, floors, isInSource, isTest } from './project.ts'
import type { Breach, Project, SourceFile } from './project.ts'

const foldersAboveTheHouse = ['test/', 'tools/', 'bench/']

// Imports go down only: apps, transport, capabilities, engine, platform, kernel.
export function checkFloors(project: Project): Breach[] {
  const homeless = project.files.filter(({ path }) => isInSource(path) && floorOf(path) === null)
  return [
    ...homeless.map(({ path }) =>
      breach(path, 1, `stands on no floor; move it to src/{${floors.join(',')}}/`),
    ),
    ...project.files.flatMap((file) => importsOf(file).flatMap((item) => checkImport(file, item))),
  ]
}

function checkImport(file: SourceFile, item: Import): Breach[] {
  const { target, specifier, line } = item
  if (target === null) return []
  const reasons = [wrongForm(item, target), wrongTarget(file.path, target)]
  return reasons
    .filter((reason) => reason !== null)
    .map((reason) => breach(file.path, line, `imports '${specifier}': ${reason}`))
}

function wrongForm({ specifier }: Import, target: string): string | null {
  if (!isInSource(target) || specifier.startsWith('#')) return null
  return `files of src have one way to be named; write '#${target.slice('src/'.length)}'`
}

function wrongTarget(path: string, target: string): string | null {
  if (isTest(target))
    return 'a test is never imported; move what is shared to test/support or a file of its own'
  if (isTest(path)) return null
  if (path.startsWith('simulator/')) return wrongForSimulator(target)
  const floor = floorOf(path)
  return floor === null ? null : wrongForFloor(floor, target)
}

function wrongForSimulator(target: string): string | null {
  if (target.startsWith('simulator/') || floorOf(target) === 'kernel') return null
  return 'the simulator knows nothing of ours but the kernel; hand it over as a parameter'
}

function wrongForFloor(floor: (typeof floors)[number], target: string): string | null {
  const above = foldersAboveTheHouse.find((folder) => target.startsWith(folder))
  if (above) return `src never imports ${above}; move what both need into src`
  const below = floorOf(target)
  if (below === null) {
    const isFoundation = floor === 'kernel' || floor === 'platform'
    return isFoundation ? `${floor} imports nothing of ours outside src; pass it in from apps` : null
  }
  if (floors.indexOf(below) >= floors.indexOf(floor)) return null
  return `${floor} lies below ${below} and imports go down only; pass it in, or use an event or a follower`
}

function breach(path: string, line: number, message: string): Breach {
  return { path, line, rule: 'floors', message }
}
