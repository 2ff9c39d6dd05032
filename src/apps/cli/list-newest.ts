import { Complaint } from '#apps/complaint.ts'
import type { Options, Report } from '#apps/cli/command.ts'
import type { Row } from '#apps/cli/print-table.ts'

const lastUsual = 20

type Wish<T> = {
  // The most that --last may ask for.
  readonly lastMax: number
  readonly find: (most: number) => Promise<readonly T[]>
  readonly rowOf: (found: T) => Row
}

// A list of which --last tells how much is shown. One more than that is looked for, to know whether there are
// more.
export async function listNewest<T>(options: Options, { lastMax, find, rowOf }: Wish<T>): Promise<Report> {
  const last = options.text('last') ?? String(lastUsual)
  if (!/^[1-9]\d*$/.test(last) || Number(last) > lastMax)
    throw new Complaint(`--last is a number from 1 to ${lastMax}, not ${last}.`)
  const shown = Number(last)
  const found = await find(shown + 1)
  const rows = found.slice(0, shown).map(rowOf)
  if (found.length <= shown) return { rows }
  return { rows, unshown: `These are the newest ${shown}; there are more, which --last NUMBER shows.` }
}
