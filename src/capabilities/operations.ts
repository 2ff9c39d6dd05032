import type { Context } from '#capabilities/context.ts'
import { authenticateContract } from '#capabilities/sessions/authenticate.contract.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { endSessionContract } from '#capabilities/sessions/end-session.contract.ts'
import { endSession } from '#capabilities/sessions/end-session.operation.ts'
import { querySessionContract } from '#capabilities/sessions/query-session.contract.ts'
import { querySession } from '#capabilities/sessions/query-session.operation.ts'
import { type Operation, serve } from '#capabilities/wire/contract.ts'

// The one list of public operations. REST, SOAP with its WSDL, OpenAPI, the docs and the contract tests are
// loops over it.
export const operations: readonly Operation<Context>[] = [
  serve(authenticateContract, authenticate),
  serve(querySessionContract, querySession),
  serve(endSessionContract, endSession),
]
