import { seedingContext } from '#apps/build-context.ts'
import { Complaint } from '#apps/complaint.ts'
import type { Installation } from '#apps/open-installation.ts'
import type { Context } from '#capabilities/context.ts'
import { seedSandbox, type Sandbox } from '#capabilities/sandbox/seed-sandbox.operation.ts'
import type { Config } from '#platform/config.ts'

// Seeds the sandbox. At a first start its cards are checked by the bank, which may not be there.
export async function seedOrComplain(
  context: Context,
  { config, installation }: { readonly config: Config; readonly installation: Installation },
): Promise<Sandbox> {
  const { bankAddress } = config
  try {
    return await seedSandbox(seedingContext(context, { config, installation }))
  } catch (error) {
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
