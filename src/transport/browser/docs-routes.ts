import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Context } from '#capabilities/context.ts'
import type { Operation } from '#capabilities/wire/contract.ts'
import { sampleErrorText } from '#capabilities/wire/envelope.ts'
import { errorCodes, errorNames } from '#capabilities/wire/error-codes.ts'
import { declineRemedies, listDeclines } from '#engine/payments/decline-codes.ts'
import type { Html } from '#kernel/html.ts'
import {
  docsPage,
  docsStartScript,
  errorsPage,
  errorsStyle,
  writtenPage,
} from '#transport/browser/docs.page.ts'
import { icon } from '#transport/browser/icon.page.ts'
import { renderMarkdown, servedPages } from '#transport/browser/markdown.page.ts'
import { type OwnPlace, withOwnSamples } from '#transport/browser/own-samples.ts'
import { docsHeaders } from '#transport/browser/page-headers.ts'
import { scalarBundle } from '#transport/browser/scalar-bundle.ts'
import { sendPacked } from '#transport/browser/send-packed.ts'
import { sendPage } from '#transport/browser/send-page.ts'
import { openApiDocument } from '#transport/openapi/openapi.ts'
import type { StatusStyle } from '#transport/rest/http-status.ts'

type Needs = {
  readonly operations: readonly Operation<Context>[]
  readonly statusStyle: StatusStyle
  readonly ownPlace: () => OwnPlace
}

const docsFolder = join(import.meta.dirname, '..', '..', '..', 'docs')

export function registerDocs(app: FastifyInstance, { operations, statusStyle, ownPlace }: Needs): void {
  app.get('/', (_, reply) => reply.redirect('/docs'))
  let document: string | null = null
  app.get('/openapi.json', (_, reply) => {
    document ??= JSON.stringify(openApiDocument(operations, statusStyle))
    return reply.type('application/json; charset=utf-8').send(document)
  })
  // Browsers ask for the first one wherever no page tells them of the second.
  for (const path of ['/favicon.ico', '/favicon.svg']) app.get(path, (_, reply) => sendIcon(reply))
  app.get('/docs', (_, reply) => sendDocs(reply, docsPage()))
  app.get('/docs/errors', (_, reply) => sendDocs(reply, errorsPage(errorDocs(), declineDocs())))
  for (const page of servedPages) {
    app.get(`/docs/${page}`, async (_, reply) => {
      const source = await readFile(join(docsFolder, `${page}.md`), 'utf8')
      return sendDocs(reply, writtenPage(renderMarkdown(withOwnSamples(source, ownPlace()))))
    })
  }
  app.get('/docs/errors.css', (_, reply) => reply.type('text/css; charset=utf-8').send(errorsStyle))
  app.get('/docs/start.js', (_, reply) => reply.type('text/javascript; charset=utf-8').send(docsStartScript))
  app.get('/docs/scalar.js', async (_, reply) =>
    sendPacked(reply.header('cache-control', 'public, max-age=3600'), await scalarBundle()),
  )
}

function sendDocs(reply: FastifyReply, page: Html): FastifyReply {
  return sendPage(reply, { body: page.text, headers: docsHeaders })
}

function sendIcon(reply: FastifyReply): FastifyReply {
  return reply
    .headers({ 'content-security-policy': "default-src 'none'", 'cache-control': 'public, max-age=86400' })
    .type('image/svg+xml; charset=utf-8')
    .send(icon.text)
}

function errorDocs() {
  return errorNames
    .map((name) => ({ ...errorCodes[name], name: name.replaceAll('_', ' '), sample: sampleErrorText(name) }))
    .toSorted((left, right) => left.code - right.code)
}

function declineDocs() {
  return listDeclines().map(({ code, text, is }) => ({ code, text, remedy: declineRemedies[is] }))
}
