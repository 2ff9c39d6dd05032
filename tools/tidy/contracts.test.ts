import { checkContracts } from './contracts.ts'
import { testRule } from './rule-cases.ts'

const stem = 'src/capabilities/sales/charge-card'
const line = "import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'\n"
const list = 'src/capabilities/operations.ts'
const whole = { [`${stem}.contract.ts`]: '', [`${stem}.operation.ts`]: '', [`${stem}.test.ts`]: '' }

testRule(checkContracts, [
  { sentence: 'a contract with operation, test and one line is fine', files: { ...whole, [list]: line } },
  {
    sentence: 'the test may carry the name of the operation',
    files: {
      [`${stem}.contract.ts`]: '',
      [`${stem}.operation.ts`]: '',
      [`${stem}.operation.test.ts`]: '',
      [list]: line,
    },
  },
  {
    sentence: 'a contract without operation and test is a breach',
    files: { [`${stem}.contract.ts`]: '', [list]: line },
    says: [/has no operation; write .*charge-card.operation.ts/, /has no test/],
  },
  { sentence: 'a contract that is not listed is a breach', files: whole, says: [/imported 0 times/] },
  {
    sentence: 'a contract that is listed twice is a breach',
    files: { ...whole, [list]: line + line },
    says: [/imported 2 times.*exactly one line/],
  },
])
