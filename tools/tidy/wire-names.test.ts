import { testRule } from './rule-cases.ts'
import { checkWireNames } from './wire-names.ts'

const text = 'const a = body.ConsentID'

testRule(checkWireNames, [
  {
    sentence: 'wire names are at home in contracts, wire files, tests and where the session key is read',
    files: {
      'src/capabilities/sales/charge.contract.ts': text,
      'src/capabilities/sales/options.wire.ts': text,
      'src/capabilities/wire/envelope.ts': text,
      'src/capabilities/sales/charge.test.ts': text,
      'src/transport/session-key.ts': "headers['SessKey']",
      'src/transport/soap/envelope.ts': "'SessKey'",
      'test/journeys/pay.ts': text,
    },
  },
  {
    sentence: 'a wire name in code, a string or a template elsewhere is a breach',
    files: {
      'src/engine/payments/pay.operation.ts':
        "const TxID = 1\nconst b = 'the RPGUID'\nconst c = `${d} ErrCode`",
      'src/capabilities/links/make-link.operation.ts':
        "no('Msg.Amount is missing')\nno(`PaymentAmount ${problem}`)",
      'src/transport/rest/routes.ts': "headers['SessKey']",
    },
    says: [
      /pay.operation.ts:1 .*'TxID'/,
      /:2 .*'RPGUID'/,
      /:3 .*'ErrCode'/,
      /make-link.operation.ts:1 .*'Msg'/,
      /make-link.operation.ts:2 .*'PaymentAmount'/,
      /routes.ts:1 .*'SessKey'.*our word/,
    ],
  },
  {
    sentence: 'a comment may name the wire, and our own words are fine',
    files: {
      'src/engine/payments/attempt.ts': '// Its id is the TxID of the wire.\nconst consentId: ConsentId = 1',
    },
  },
])
