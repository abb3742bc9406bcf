/**
 * `/dev/mailbox`: the letters of the embedded capture server, for whoever sits at the same machine.
 * To everyone else it does not exist, also not through a proxy on this machine or by a web page that
 * made a name of its own point here.
 */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { Letter, LetterDetail, LetterListQuery } from '#schemas/rest/letter.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { type ApiInstance, found } from '../http/route.ts'
import { listLetters, openLetter } from './letter-files.ts'

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
      summary: 'Captured letters, newest first',
      querystring: LetterListQuery,
      response: { 200: z.object({ items: z.array(Letter) }), 404: Problem },
    },
    handler: async (request) => ({ items: await listLetters(folder, request.query.to) }),
  })

  app.route({
    method: 'GET',
    url: '/:letter_id',
    schema: {
      tags,
      summary: 'One captured letter',
      params: z.object({ letter_id: z.string() }),
      response: { 200: LetterDetail, 404: Problem },
    },
    handler: async (request) => found(await openLetter(folder, request.params.letter_id)),
  })
}

const loopbackAddress = /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/
const loopbackName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

export function isLocal(request: Pick<FastifyRequest, 'headers' | 'socket'>): boolean {
  const { host, forwarded, 'x-forwarded-for': forwardedFor } = request.headers
  return (
    loopbackAddress.test(request.socket.remoteAddress ?? '') &&
    loopbackName.test(host ?? '') &&
    forwarded === undefined &&
    forwardedFor === undefined
  )
}
