import { seedingContext } from '#apps/build-context.ts'
import { Complaint } from '#apps/complaint.ts'
import type { Installation } from '#apps/installation.ts'
import type { Context } from '#capabilities/context.ts'
import { seedSandbox, type Sandbox } from '#capabilities/sandbox/seed-sandbox.operation.ts'
import type { Config } from '#platform/config.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'

// Seeds the sandbox. At a first start its cards are checked by the bank, which may not be there, or may not
// be asked: the data folder knows another database.
export async function seedOrComplain(
  context: Context,
  { config, installation }: { readonly config: Config; readonly installation: Installation },
): Promise<Sandbox> {
  const { bankAddress } = config
  const { sending, log } = context
  try {
    return await seedSandbox(seedingContext(context, { config, installation }))
  } catch (error) {
    if (sending.hold?.kind === 'paused' && !(error instanceof DatabaseUnavailable)) {
      log.debug({ err: error }, 'The sandbox was not seeded')
      throw new Complaint(
        `This node is paused, and the sandbox lacks its demo things: ${sending.hold.because}. ` +
          'Check DATABASE_URL and DATA_DIR. Where the database is the right one, say so ' +
          '(tillgate resume --reason TEXT) and start again.',
        { cause: error },
      )
    }
    if (bankAddress === '') throw error
    await context.line.check()
    if (context.line.isUp) throw error
    throw new Complaint(
      `The simulated bank at ${bankAddress} does not answer. Start it, or set TILLGATE_BANK to its socket; ` +
        'without TILLGATE_BANK the bank in the gateway is used.',
      { cause: error },
    )
  }
}
