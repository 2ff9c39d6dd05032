import { checkCardNumbers } from './card-numbers.ts'
import { checkContracts } from './contracts.ts'
import { checkEdges } from './edges.ts'
import { checkFileNames } from './file-names.ts'
import { checkFloors } from './floors.ts'
import { checkLengths } from './lengths.ts'
import { checkMigrations } from './migrations.ts'
import type { Rule } from './project.ts'
import { checkRoles } from './roles.ts'
import { checkSelfReference } from './self-reference.ts'
import { checkSql } from './sql.ts'
import { checkTestHooks } from './test-hooks.ts'
import { checkTime } from './time.ts'
import { checkTransportOnly } from './transport-only.ts'
import { checkUnfinished } from './unfinished.ts'
import { checkWireNames } from './wire-names.ts'

// What the linters, knip and the compiler cannot see. The sentence is the name of the rule's test.
export const rules: readonly { readonly sentence: string; readonly check: Rule }[] = [
  { sentence: 'imports go down the floors only', check: checkFloors },
  { sentence: 'capabilities import each other only where slices.ts declares it', check: checkEdges },
  { sentence: 'every file has a role and imports only what the role may', check: checkRoles },
  { sentence: 'SQL stands in stores and each table has one writing slice', check: checkSql },
  { sentence: 'files, functions and lines are short', check: checkLengths },
  { sentence: 'wire names stay in contracts and wire files', check: checkWireNames },
  { sentence: 'nothing below transport knows HTTP or XML', check: checkTransportOnly },
  { sentence: 'file names say what is inside', check: checkFileNames },
  { sentence: 'every contract has an operation, a test and one line in the list', check: checkContracts },
  { sentence: 'only the clock reads the time and only parameters bring randomness', check: checkTime },
  { sentence: 'migrations are numbered without gaps and say why', check: checkMigrations },
  { sentence: 'no file knows the machine it was written on', check: checkSelfReference },
  { sentence: 'no number could be a real card', check: checkCardNumbers },
  { sentence: 'no test file changes the tests of another', check: checkTestHooks },
  { sentence: 'nothing is unfinished without an issue and no test is left out', check: checkUnfinished },
]
