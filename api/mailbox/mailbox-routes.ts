/**
 * `/dev/mailbox`: the emails of the embedded capture server, for people on the same machine: pages
 * for browsers, JSON for programs. It exists only under `npm start` with that server
 * (platform/supervisor-arguments.ts). To everyone else it is 404, also through a proxy on this
 * machine and for a web page whose own host name resolves to this machine.
 */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { Email, EmailDetail, EmailListQuery } from '#schemas/rest/email/email.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { type ApiInstance, found } from '../http/route.ts'
import { listEmails, openEmail } from './email-files.ts'
import { replyWithEmail, replyWithHtml, replyWithList, wantsPage } from './mailbox-page.ts'

const tags = ['mailbox']

export function registerMailbox(app: ApiInstance, folder: string): void {
  app.addHook('onRequest', async (request) => {
    if (!isLocal(request)) throw new CodedError('not_found')
  })

  app.route({
    method: 'GET',
    url: '/',
    schema: {
      tags,
      operationId: 'listCapturedEmails',
      summary: 'List captured emails',
      description:
        'Newest first, at most 500 of the latest 5,000. Only on the machine that runs `npm start`. Browsers get a page.',
      querystring: EmailListQuery,
      response: { 200: z.object({ items: z.array(Email) }), 404: Problem },
    },
    handler: async (request, reply) => {
      const to = request.query.to === '' ? undefined : request.query.to
      const items = await listEmails(folder, to)
      return wantsPage(request) ? replyWithList(reply, { items, to }) : { items }
    },
  })

  app.route({
    method: 'GET',
    url: '/:letter_id',
    schema: {
      tags,
      operationId: 'getCapturedEmail',
      summary: 'Get a captured email',
      description: 'With its headers, text and HTML, and as raw source.',
      params: z.object({ letter_id: z.string() }),
      querystring: z.object({ part: z.string().max(20).optional() }),
      response: { 200: EmailDetail, 404: Problem },
    },
    handler: async (request, reply) => {
      const email = found(await openEmail(folder, request.params.letter_id))
      const asked = request.query.part
      return wantsPage(request) ? replyWithEmail(reply, { email, asked }) : email
    },
  })

  app.route({
    method: 'GET',
    url: '/:letter_id/html',
    schema: { hide: true, params: z.object({ letter_id: z.string() }) },
    handler: async (request, reply) =>
      replyWithHtml(reply, found(await openEmail(folder, request.params.letter_id))),
  })
}

/**
 * Headers that proxies add. A proxy that adds none is detected by HTTP/1.0 or by the host name that
 * its clients request.
 */
const forwardingHeader =
  /^(?:forwarded|via|x-forwarded(?:-.+)?|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-.+|cdn-loop|fastly-.+|x-amzn?-.+|x-azure-.+|x-original-.+|x-proxyuser-ip|x-envoy-.+)$/
const loopbackAddress = /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/
const loopbackName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

export function isLocal({
  headers,
  raw,
  socket,
}: Pick<FastifyRequest, 'headers' | 'raw' | 'socket'>): boolean {
  return (
    loopbackAddress.test(socket.remoteAddress ?? '') &&
    loopbackName.test(headers.host ?? '') &&
    raw.httpVersion !== '1.0' &&
    !Object.keys(headers).some((name) => forwardingHeader.test(name))
  )
}
