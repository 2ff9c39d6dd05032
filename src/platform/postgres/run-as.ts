import { userInfo } from 'node:os'
import { runTool } from '#platform/run-tool.ts'

// PostgreSQL refuses to run as root, and initdb refuses a user without a name. The ways around both need no
// account to be made on the machine:
// - unshare: a user namespace in which we are called nobody. Files stay ours. It has no more rights than we
//   have as their owner, so it fails in folders that belong to somebody else and are closed.
// - setpriv: really become nobody, but keep the right to pass closed folders, since root's folders may be
//   open to root alone. Containers that forbid user namespaces allow this. Files must belong to nobody.

export type Way = {
  readonly name: 'plain' | 'unshare' | 'setpriv'
  readonly prefix: readonly string[]
  readonly fileOwner: number
}

const nobody = 65534

const setprivPrefix = [
  'setpriv',
  '--securebits=+no_setuid_fixup',
  `--reuid=${nobody}`,
  `--regid=${nobody}`,
  '--clear-groups',
  '--inh-caps=-all,+dac_override',
  '--ambient-caps=-all,+dac_override',
]

function listWays(): readonly Way[] {
  const user = process.geteuid?.() ?? -1
  const plain: Way = { name: 'plain', prefix: [], fileOwner: user }
  const unshare: Way = {
    name: 'unshare',
    prefix: ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--'],
    fileOwner: user,
  }
  const setpriv: Way = { name: 'setpriv', prefix: setprivPrefix, fileOwner: nobody }
  if (user === 0) return [unshare, setpriv]
  return hasName() ? [plain] : [unshare, plain]
}

function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

// Whether a way works depends on the kernel, the container and the folders, so each is tried.
export async function chooseWay(place: { readonly folder: string; readonly postgres: string }): Promise<Way> {
  const failures: string[] = []
  for (const way of listWays()) {
    if (way.name === 'plain') return way
    const probe = ['/bin/sh', '-c', 'test -w "$1" && exec "$2" --version', 'sh', place.folder, place.postgres]
    const { failure } = await runTool([...way.prefix, ...probe])
    if (failure === null) return way
    failures.push(`${way.name}: ${failure}`)
  }
  throw new Error(
    'PostgreSQL does not run as root, and this system lets root neither use a user namespace nor become ' +
      'another user: run Tillgate as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own ' +
      `(${failures.join('; ')}).`,
  )
}

export async function sendSignal(processId: number, signal: 'SIGINT' | 'SIGQUIT') {
  try {
    process.kill(processId, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    if (error.code === 'ESRCH') return
    if (error.code !== 'EPERM' || process.geteuid?.() !== 0) throw error
    // A container may take from root the right to signal others; nobody may always signal nobody's.
    const kill = ['/bin/sh', '-c', 'kill -s "$1" "$2"', 'sh', signal.slice(3), String(processId)]
    const { failure } = await runTool([...setprivPrefix, ...kill])
    if (failure !== null) throw error
  }
}
