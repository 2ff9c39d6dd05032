import { Complaint } from '#apps/complaint.ts'
import type { Command, Invocation } from '#apps/cli/command.ts'
import { countNodes } from '#engine/restore-guard/check-database.operation.ts'
import { listCardKeys } from '#engine/vault/check-card-keys.operation.ts'
import { type Progress, retireCardKey, rotateCardKeys } from '#engine/vault/rotate-card-keys.operation.ts'
import { printMoment } from '#kernel/calendar.ts'

export const keysCommands: Readonly<Record<string, Command>> = {
  list: {
    usage: 'tillgate keys list',
    summary: 'List the versions of the card key and how many cards use each',
    subject: null,
    texts: {},
    flags: [],
    run: list,
  },
  rotate: {
    usage: 'tillgate keys rotate',
    summary: 'Make the next card key and wrap all cards anew, while the gateway runs',
    subject: null,
    texts: {},
    flags: [],
    run: rotate,
  },
  retire: {
    usage: 'tillgate keys retire VERSION',
    summary: 'Destroy a card key that no card uses any more; older backups cannot be opened then',
    subject: 'version',
    texts: {},
    flags: [],
    run: retire,
  },
}

async function list({ context }: Invocation) {
  const keys = await listCardKeys(context)
  const rows = keys.map(({ version, createdAt, cards, state }) => ({
    version,
    made: printMoment(createdAt),
    cards: Number(cards),
    state,
  }))
  return rows.length > 0 ? { rows } : { rows, note: 'No card has been stored yet.' }
}

async function rotate({ context }: Invocation) {
  const { version, isResumed, wrapped, unreadable } = await rotateCardKeys(context, { onProgress: print })
  const rows = [{ version, isResumed, wrapped, unreadable: unreadable.length }]
  const shown = unreadable.slice(0, 10).join(', ')
  const note =
    unreadable.length > 0
      ? `These cards cannot be opened and were left as they are: ${shown}. ` +
        'tillgate keys list shows whether a key is missing.'
      : 'All cards use this version. Back up KEYS_DIR now; tillgate keys retire destroys an older one.'
  return { rows, note: [note, ...(await copiesAdvice(context))].join('\n') }
}

async function copiesAdvice(context: Invocation['context']): Promise<readonly string[]> {
  const nodes = await countNodes(context)
  if (nodes < 2) return []
  return [
    `${nodes} nodes are registered. One with a KEYS_DIR of its own opens no card until it has the new file, too.`,
  ]
}

// Beside the answer, so that --json stays readable for scripts.
function print({ version, wrapped, cards }: Progress): void {
  process.stderr.write(`version ${version}: ${wrapped} of ${cards} cards\n`)
}

const refusals = {
  key_not_found: 'There is no such version. tillgate keys list shows all.',
  key_is_current: 'New cards are stored under this version. tillgate keys rotate makes the next one.',
  key_in_use: 'Cards still use this version. tillgate keys rotate wraps them anew.',
} as const

async function retire({ context, subject }: Invocation) {
  if (!/^[1-9]\d{0,5}$/.test(subject)) throw new Complaint(`${subject} is no version: 1, 2, 3 and so on.`)
  const retired = await retireCardKey(context, Number(subject))
  if (!retired.ok) throw new Complaint(refusals[retired.refusal.kind])
  return { rows: [{ version: Number(subject), state: 'retired' }] }
}
