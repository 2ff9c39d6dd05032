import { authenticateScenario } from './authenticate.ts'
import type { Scenario } from './scenario.ts'
import { settlementScenario } from './settlement.ts'
import { startUpScenario } from './start-up.ts'

export const scenarios: readonly Scenario[] = [startUpScenario, authenticateScenario, settlementScenario]
