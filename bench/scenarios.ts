import { authenticateScenario } from './authenticate.ts'
import { chargesScenario } from './charges.ts'
import { hostileScenario } from './hostile.ts'
import { latencyScenario } from './latency.ts'
import { ordersScenario } from './orders.ts'
import { scalingScenario } from './scaling.ts'
import type { Scenario } from './scenario.ts'
import { schedulesScenario } from './schedules.ts'
import { settlementScenario } from './settlement.ts'
import { soakScenario } from './soak.ts'
import { startUpScenario } from './start-up.ts'
import { transactionsScenario } from './transactions.ts'

// In the order in which they run: what a quick run may leave out comes last, and the bad day, which takes a
// checkpoint, behind what is measured on the same cluster without one.
export const scenarios: readonly Scenario[] = [
  startUpScenario,
  chargesScenario,
  latencyScenario,
  scalingScenario,
  hostileScenario,
  authenticateScenario,
  schedulesScenario,
  settlementScenario,
  ordersScenario,
  transactionsScenario,
  soakScenario,
]
