import type { EngineContext } from '#engine/context.ts'
import {
  findRegisteredInstallation,
  type Installation,
  registerOrFindInstallation,
} from '#engine/installation/installation.store.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'keyRing'>

// Ties a database to one key ring and one mode. A node that has others could neither check tokens nor be
// trusted to know whether money moves, so it must not start.
export async function registerInstallation(
  needs: Needs,
): Promise<Result<null, 'other_key_ring' | 'other_mode'>> {
  const { id: keyRingId, mode } = needs.keyRing
  const registered = await registerOrFindInstallation(needs.db, { keyRingId, mode, at: needs.clock.now() })
  if (registered.mode !== mode) return refuse('other_mode', { registered: registered.mode, mode })
  return registered.keyRingId === keyRingId ? ok(null) : refuse('other_key_ring')
}

// What the first node has registered. null before it has.
export function findInstallation({ db }: Pick<Needs, 'db'>): Promise<Installation | null> {
  return findRegisteredInstallation(db)
}
