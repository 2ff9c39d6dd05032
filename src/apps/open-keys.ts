import { join } from 'node:path'
import { Complaint } from '#apps/complaint.ts'
import {
  findInstallation,
  registerInstallation,
} from '#engine/installation/register-installation.operation.ts'
import { checkCardKeys, checkNewestCardKey, knowsCardKeys } from '#engine/vault/check-card-keys.operation.ts'
import { systemClock } from '#platform/clock.ts'
import type { Config } from '#platform/config.ts'
import type { KeyRing } from '#platform/crypto/key-ring.ts'
import type { Database } from '#platform/postgres/database.ts'

// What is wrong are the keys, and not the database that knows them.
export class KeysComplaint extends Complaint {}

const sharedFolder = 'KEYS_DIR to the folder that all nodes of this database share.'

// Opens the keys that belong to a database, and refuses all others. They are made before it knows any, and
// never again: in place of lost ones they would be worth nothing, and the next backup would keep them.
export async function openKeys(db: Database, config: Config): Promise<KeyRing> {
  const keyRing = await findOrMakeKeys(db, config)
  await refuseForeignInstallation({ db, keyRing }, config)
  refuseLost(await checkCardKeys({ db, keyRing, clock: systemClock }))
  return keyRing
}

// Whoever has the keys of another installation has mistyped something, and must not migrate this one. Which
// older card keys are still needed can be told afterwards only.
export async function refuseOtherKeys(db: Database, config: Config): Promise<void> {
  const keyRing = await findOrMakeKeys(db, config)
  await refuseForeignInstallation({ db, keyRing }, config)
  refuseLost(await checkNewestCardKey({ db, keyRing, clock: systemClock }))
}

async function findOrMakeKeys(db: Database, { keysFolder, mode }: Config): Promise<KeyRing> {
  const [installation, isCardKeyKnown] = await Promise.all([findInstallation({ db }), knowsCardKeys({ db })])
  // Read only now, because of all the code of schemas behind it: a first start sets PostgreSQL to work
  // before.
  const { fileName, findKeyRing, openKeyRing } = await import('#platform/crypto/key-ring.ts')
  if (!installation) return openKeyRing(keysFolder, mode)
  const found = await findKeyRing(keysFolder, mode, { makesCardKey: !isCardKeyKnown })
  if (found) return found
  if (installation.mode !== mode) throw otherMode({ registered: installation.mode, mode })
  throw new KeysComplaint(
    `${join(keysFolder, fileName)} is missing. Restore it from your backup, or set ${sharedFolder}`,
  )
}

function refuseLost(checked: Awaited<ReturnType<typeof checkCardKeys>>): void {
  if (!checked.ok) throw new KeysComplaint(String(checked.refusal.details['problem']))
}

async function refuseForeignInstallation(
  needs: { db: Database; keyRing: KeyRing },
  { keysFolder }: Config,
): Promise<void> {
  const registered = await registerInstallation({ ...needs, clock: systemClock })
  if (registered.ok) return
  const { kind, details } = registered.refusal
  if (kind === 'other_mode')
    throw otherMode({ registered: String(details['registered']), mode: String(details['mode']) })
  throw new KeysComplaint(
    `The key ring in ${keysFolder} is not the one this database was set up with, so no token could be ` +
      `checked. Set ${sharedFolder}`,
  )
}

function otherMode({ registered, mode }: { readonly registered: string; readonly mode: string }): Complaint {
  return new Complaint(
    `This database belongs to a ${registered} installation and is never used in ${mode} mode.`,
  )
}
