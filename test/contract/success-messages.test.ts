import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations } from '#capabilities/operations.ts'
import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { useGateway } from '../support/in-process-gateway.ts'
import { readAnswer } from './envelope.ts'
import { freshBody } from './fresh-call.ts'

// RespMsg of calls that succeed, from the first letter to the last: clients of this family compare it. What
// an answer has to add stands in members of its own.
const approved = /^APPROVED [A-Z0-9]{6}$/
const counts = /^Total Processed: \d+ Approved: \d+ Declined: \d+ Partial: \d+$/
const settled = /^Successful Settlement : OK \d{3} (0[1-9]|1[0-2])\d{2} 0000$/
const modified = /^Success : Modified Consent ID : \d+$/
const disabled = /^Successfully DISBALED ConsentID \d+ : Card Number Removed$/
const credited = /^Successful Credit Pending Transaction ID : \d{6,}$/
const receipt = /^Successfully Returned Transaction Receipt Markup$/
const moneyAndDay = String.raw`For \$\d+\.\d{2} On ([1-9]|1[0-2])\/[1-9]\d?\/\d{4}$`

const messages: Readonly<Record<string, RegExp>> = {
  Authenticate: /^SessKey Expires\|\d{1,2}\/\d{1,2}\/\d{4} \d{1,2}:\d{2}:\d{2} [AP]M$/,
  'CardSale/Manual': approved,
  'ACH/Sale': approved,
  'ConsentAnnual/ChargeStoredCard': approved,
  'CardSale/ApplyCredit': credited,
  'ACH/ApplyCredit': credited,
  'ConsentAnnual/CalcFees': /^Fees calculated for (CREDIT|DEBIT|PREPAID|UNKNOWN) Card \d{4}X{7,8}\d{4}$/,
  'ConsentAnnual/Create_MAN': /^Success : Created Annual Consent ID : \d{6,}$/,
  'ConsentAnnual/Modify': modified,
  'ConsentAnnual/Cancel': disabled,
  'ConsentRecurring/Create': /^Success : Created Recurring Consent ID : \d{6,}$/,
  'ConsentRecurring/Modify': modified,
  'ConsentRecurring/Cancel': disabled,
  'RecurringSchedule/ProcessScheduledPayments': counts,
  'RecurringSchedule/ProcessScheduledPaymentsSelective': counts,
  'RecurringSchedule/Modify': new RegExp(String.raw`^Successful Reschedule of SchedID \d+ ${moneyAndDay}`),
  'RecurringSchedule/Cancel': new RegExp(String.raw`^Successful Cancel of SchedID \d+ ${moneyAndDay}`),
  'Settlement/ExecuteBatch_All': settled,
  'Settlement/ExecuteBatch_Selective': settled,
  'Intl/ProcPayment': /^Successfully charged Consent [0-9a-f-]{36} For \S*\d+\.\d{2}$/,
  'Intl/VoidCredit': /^Succesfull VOID\/Credit$/,
  'Intl/ReceiptGenerate': receipt,
  'Receipt/ReceiptGenerate': receipt,
  'Intl/QueryTransaction': /^Successfully Returned Transaction Records : \d+$/,
  'CardSale/InitForm': /^successfully returned payment Url$/,
  'Other/SMSPay': /^(Text|Email) Sent Successfully to \S+$/,
}

describe('RespMsg of a call that succeeds', () => {
  const gateway = useGateway()

  test('is given here for every operation of the specification', () => {
    const specified = contracts().filter(({ isBeyondSpecification }) => !isBeyondSpecification)
    const missing = specified.filter(({ path }) => !messages[path]).map(({ path }) => path)
    assert.deepEqual(missing, [])
  })

  for (const [path, form] of Object.entries(messages)) {
    test(`${path} answers ${form.source}`, async () => {
      const contract = contracts().find((one) => one.path === path)
      assert.ok(contract, `there is not an operation ${path}`)
      assert.match(contract.example.message, form, 'as its documentation shows it')
      const { accountCode, token } = gateway()
      const sessionKey = await gateway().signIn()
      const body =
        path === 'Authenticate'
          ? { AcctCode: accountCode, Token: token }
          : await freshBody(gateway(), sessionKey, contract)
      const answer = await gateway().post(contract.prefix + path, body, { SessKey: sessionKey })
      assert.match(readAnswer(answer, contract.resultKey).RespMsg, form)
    })
  }
})

function contracts(): readonly ContractFacts[] {
  return operations.map(({ contract }) => contract)
}
