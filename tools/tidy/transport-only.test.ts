import { testRule } from './rule-cases.ts'
import { checkTransportOnly } from './transport-only.ts'

testRule(checkTransportOnly, [
  {
    sentence: 'transport, calls to the outside and tests may know HTTP and XML',
    files: {
      'src/transport/rest/routes.ts': "import fastify from 'fastify'",
      'src/transport/soap/read.ts': "import { SaxesParser } from 'saxes'",
      'src/platform/outbound/send.ts': "import { request } from 'node:https'",
      'src/engine/payments/pay.test.ts': "import { createServer } from 'node:http'",
    },
  },
  {
    sentence: 'HTTP and XML below transport are breaches, even as types',
    files: {
      'src/capabilities/sales/charge.operation.ts': "import type { FastifyRequest } from 'fastify'",
      'src/platform/metrics.ts': "import { createServer } from 'node:http'",
      'src/engine/receipts/read.ts': "import { SaxesParser } from 'saxes'",
    },
    says: [/'fastify'.*move it to transport/, /'node:http'/, /'saxes'/],
  },
])
