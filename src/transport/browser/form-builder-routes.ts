import type { IncomingHttpHeaders } from 'node:http'
import type { Server } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import { authenticateContract } from '#capabilities/sessions/authenticate.contract.ts'
import { initFormContract } from '#capabilities/forms/init-form.contract.ts'
import { alwaysVisible } from '#capabilities/forms/explain-options.wire.ts'
import { inboxPath } from '#capabilities/sandbox/inbox-message.ts'
import { sandboxToken } from '#capabilities/sandbox/sandbox-token.operation.ts'
import { sandboxAccountCode } from '#capabilities/sandbox/demo-account.ts'
import type { Operation } from '#capabilities/wire/contract.ts'
import { findAccount } from '#engine/merchants/find-account.operation.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { assert } from '#kernel/assert.ts'
import { Secret } from '#kernel/secret.ts'
import type { CallOperation } from '#transport/call-operation.ts'
import { formAssets } from '#transport/browser/form-assets.ts'
import {
  draftMasks,
  draftTexts,
  type FormDraft,
  formBuilderPage,
  requestOf,
  recordOf,
  usualDraft,
} from '#transport/browser/form-builder.page.ts'
import { refuseUnknownHosts } from '#transport/browser/known-host.ts'
import { builderHeaders } from '#transport/browser/page-headers.ts'
import { sendPage } from '#transport/browser/send-page.ts'
import { allFieldsOf, readFields } from '#transport/read-fields.ts'

type Needs = {
  readonly context: Context
  readonly operations: readonly Operation<Context>[]
  readonly callOperation: CallOperation
  readonly baseUrl: () => string
}

// The sandbox's workbench for forms. It makes them for the demo account by the very calls that it shows.
export function registerFormBuilder(app: FastifyInstance, needs: Needs): void {
  if (needs.context.keyRing.mode !== 'sandbox') return
  void app.register(async (scope) => {
    refuseUnknownHosts(scope, needs.context)
    readFields(scope)
    scope.get('/sandbox/forms', (_, reply) => sendBuilder(reply, usualDraft, ''))
    scope.post('/sandbox/forms', async ({ body, headers, ip, id }, reply) => {
      const sent = allFieldsOf(body)
      const draft = await withKind(needs.context, draftFrom(sent))
      if (sent.get('then') !== 'open') return sendBuilder(reply, draft, '')
      const problem = problemOf(draft, { headers, server: scope.server, inbox: needs.baseUrl() + inboxPath })
      if (problem !== null) return sendBuilder(reply, draft, problem)
      const made = await makeForm(needs, draft, { address: ip, requestId: id })
      return 'url' in made ? reply.redirect(made.url, 303) : sendBuilder(reply, draft, made.problem)
    })
  })
}

type Around = {
  readonly headers: IncomingHttpHeaders
  readonly server: Pick<Server, 'address'>
  // Without the name at its end.
  readonly inbox: string
}

// Everyone who reaches the sandbox can make the gateway post. So it posts to itself alone, and on a machine
// that only its owner reaches also to programs on that machine.
function problemOf({ texts: { postUrl } }: FormDraft, { headers, server, inbox }: Around): string | null {
  if (headers['sec-fetch-site'] !== 'same-origin') return 'Press the button on this page, in a browser.'
  const url = URL.parse(postUrl)
  if (postUrl === '' || url?.href.startsWith(`${inbox}/`)) return null
  const place = server.address()
  const isLoopback = typeof place === 'object' && place !== null && isThisMachine(place.address)
  if (isLoopback && url && isThisMachine(url.hostname)) return null
  const also = isLoopback ? ', or an address of this machine' : ''
  return `PostURL must be the inbox, such as ${inbox}/forms${also}.`
}

function isThisMachine(host: string): boolean {
  return /^(?:127\.\d+\.\d+\.\d+|\[?::1\]?|localhost)$/.test(host)
}

function sendBuilder(reply: FastifyReply, draft: FormDraft, problem: string): FastifyReply {
  const page = formBuilderPage({ draft, problem, style: formAssets().builderStyle.href })
  return sendPage(reply, { body: page.text, headers: builderHeaders })
}

// Browsers do not send boxes that cannot be ticked off.
function draftFrom(sent: URLSearchParams): FormDraft {
  const maskOf = (name: string) =>
    sent
      .getAll(name)
      .reduce((mask, bit) => (/^(?:\d|1[0-5])$/.test(bit) ? mask | (1 << Number(bit)) : mask), 0)
  const ticked = Object.fromEntries(draftMasks.map((name) => [name, maskOf(name)]))
  const masks = { ...ticked, visible: maskOf('visible') | alwaysVisible }
  const texts = Object.fromEntries(draftTexts.map((name) => [name, (sent.get(name) ?? '').slice(0, 400)]))
  return { ...usualDraft, ...masks, texts: { ...usualDraft.texts, ...texts } }
}

// So that a newcomer need not know that the record decides it.
async function withKind(context: Context, draft: FormDraft): Promise<FormDraft> {
  const account = await findAccount(context, sandboxAccountCode)
  const records = account.ok ? await listMerchants(context, account.value.accountId) : []
  const record = records.find(({ merchantNumber }) => merchantNumber === recordOf(draft))
  return { ...draft, isInternational: record?.isInternational ?? false }
}

type Origin = { readonly address: string; readonly requestId: string }
type Made = { readonly url: string } | { readonly problem: string }

async function makeForm(needs: Needs, draft: FormDraft, origin: Origin): Promise<Made> {
  const call = (path: string, body: object, sessionKey: Secret | null) => {
    const operation = needs.operations.find(({ contract }) => contract.path === path)
    assert(operation, 'the operations of the interface are listed')
    return needs.callOperation(operation, {
      body,
      sessionKey,
      idempotencyKey: null,
      isWaiting: () => true,
      ...origin,
    })
  }
  const credentials = { AcctCode: sandboxAccountCode, Token: sandboxToken(needs.context).reveal() }
  const signedIn = await call(authenticateContract.path, credentials, null)
  const key: unknown = Object.entries(signedIn.result).find(([name]) => name === 'SessKey')?.[1]
  const made = await call(initFormContract.path, requestOf(draft), new Secret(String(key)))
  const members = new Map(Object.entries(made.result))
  const url: unknown = members.get('PaymentUrl')
  return typeof url === 'string' ? { url } : { problem: String(members.get('RespMsg')) }
}
