import type { World } from './session-world.ts'

// A bank that answers nobody before so many have come or were turned away. Whoever was turned away says so.
export function slowBank(
  { attempts }: Pick<World, 'attempts'>,
  { least }: { readonly least: number },
): { readonly attempts: World['attempts']; readonly comes: () => void } {
  const { promise: areAllThere, resolve } = Promise.withResolvers<void>()
  let count = 0
  const comes = (): void => {
    count += 1
    if (count === least) resolve()
  }
  const add: World['attempts']['add'] = async (attempt) => {
    comes()
    await areAllThere
    return attempts.add(attempt)
  }
  return { attempts: { add }, comes }
}
