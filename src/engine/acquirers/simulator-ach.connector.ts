import type { AchBank } from '#engine/acquirers/ach-bank.ts'
import { returnFileFor } from '../../../simulator/ach-bank.ts'

// The simulated bank's other counter: it needs no memory, because all it returns follows from the file.
export const simulatorAchBank: AchBank = {
  name: 'simulator',
  returnsFor: async (file, on) => returnFileFor(file, on),
}
