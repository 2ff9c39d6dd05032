import { authenticateScenario } from './authenticate.ts'
import { chargesScenario } from './charges.ts'
import type { Scenario } from './scenario.ts'
import { startUpScenario } from './start-up.ts'

// In the order in which they run: what a quick run may leave out comes last.
export const scenarios: readonly Scenario[] = [startUpScenario, chargesScenario, authenticateScenario]
