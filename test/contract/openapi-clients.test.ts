import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTypeScript from 'openapi-typescript'
import { operations } from '#capabilities/operations.ts'
import { openApiDocument } from '#transport/openapi/openapi.ts'

// What others' tools make of /openapi.json.

const root = join(import.meta.dirname, '../..')
const source = JSON.stringify(openApiDocument(operations, 'family'))

test("Redocly's linter finds nothing in openapi.json, not even to warn of", async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    [],
  )
})

const program = `
import type { operations, webhooks } from './client.ts'

type Json<T> = { content: { 'application/json': T } }
type Body<T extends keyof operations> = operations[T] extends { requestBody: Json<infer B> } ? B : never
type Answered<T> = { responses: { 200: Json<T> } }
type Answer<T extends keyof operations> = operations[T] extends Answered<infer A> ? A : never

export const signIn: Body<'Authenticate'> = { AcctCode: 'TG0000001', Token: 'a token' }
type Charge = Body<'ConsentAnnual_ChargeStoredCard'>
export const charge: Charge = { ConsentID: 1, Amounts: { BaseAmt: 131072.01 } }

export function approved(answer: Answer<'ConsentAnnual_ChargeStoredCard'>): string {
  const { TxApproved, ResponseApprovedAmount, RespMsg } = answer.ConsentAnnual_ChargeStoredCardResult
  return TxApproved ? ResponseApprovedAmount.toFixed(2) : RespMsg
}

type Approved = webhooks['payment.approved']['post']['requestBody'] extends Json<infer E> ? E : never
export const amountOf = ({ data }: Approved): string => data.amount

// @ts-expect-error A member is missing.
export const unfinished: Body<'Authenticate'> = { AcctCode: 'TG0000001' }
// @ts-expect-error An amount is a number.
export const text: Charge = { ConsentID: 1, Amounts: { BaseAmt: '10.10' } }
`

test('a TypeScript client that is generated from openapi.json compiles in strict mode', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'client.ts'), await openapiTypeScript(JSON.parse(source)))
  writeFileSync(join(folder, 'use.ts'), program)
  const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--allowImportingTsExtensions']
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...flags, '--types', '', 'use.ts'], {
    cwd: folder,
    encoding: 'utf8',
  })
  assert.equal(status, 0, stdout)
})
