import { checkFileNames } from './file-names.ts'
import type { RuleCase } from './rule-cases.ts'
import { testRule } from './rule-cases.ts'

const wrong = [
  ['src/kernel/moneyMath.ts', /'moneyMath' is not kebab-case/],
  ['src/kernel/money_math.ts', /'money_math' is not kebab-case/],
  ['src/Kernel/money.ts', /'Kernel' is not kebab-case/],
  ['src/kernel/utils.ts', /'utils' says nothing/],
  ['src/kernel/money-helpers.ts', /'helpers'/],
  ['src/engine/payments/common.test.ts', /'common'/],
  ['src/engine/payments/index.ts', /'index'/],
  ['src/engine/payments/payment-info.ts', /'info'/],
  ['src/engine/payments/pay-v2.operation.ts', /'v2'/],
  ['tools/data.ts', /'data'/],
] as const

const right = [
  'src/kernel/card-number.ts',
  'src/capabilities/wire/card-info.wire.ts',
  'src/platform/data-folder.ts',
].concat(['docs/decisions/README.md', 'README.md', 'db/migrations/0001_accounts.sql'])

testRule(checkFileNames, [
  ...wrong.map(([path, says]): RuleCase => ({
    sentence: `${path} is a breach`,
    files: { [path]: '' },
    says: [says],
  })),
  ...right.map((path): RuleCase => ({ sentence: `${path} is fine`, files: { [path]: '' } })),
])
