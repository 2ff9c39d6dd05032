import type { Command } from '#apps/cli/command.ts'
import { confirmDatabase } from '#engine/restore-guard/check-database.operation.ts'

// tillgate resume: an operator confirms that this node may send again.
export const resumeCommand: Command = {
  usage: 'tillgate resume --reason TEXT',
  summary: 'Let this node send again after its database was restored or copied',
  subject: null,
  texts: { reason: 200 },
  flags: [],
  run: async ({ context, nodeFile, options }) => {
    const reason = options.needText('reason')
    const { hold } = context.sending
    if (hold?.kind !== 'paused') return { rows: [], note: 'Nothing is paused.' }
    await confirmDatabase({ ...context, stateFile: nodeFile }, reason)
    const rows = [{ pausedBecause: hold.because, confirmedBecause: reason }]
    return { rows, note: 'Confirmed. A running gateway goes on within seconds.' }
  },
}
