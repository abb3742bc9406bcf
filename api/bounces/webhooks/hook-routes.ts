/**
 * `POST /hooks/bounces/{adapter}/{secret}`: where providers tell of bounces. The secret says whose hook it is, the adapter's check
 * says that the provider speaks. Every authentic payload is answered 200, also one that holds nothing for us: anything else would
 * only be sent again.
 */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { BounceAdapterSettings } from '#schemas/mail/bounce-adapter.ts'
import { findEmailRef } from '#schemas/mail/bounce-ref.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { hashSecret, isToken } from '../../auth/secret.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, found } from '../../http/route.ts'
import { adapterPurpose } from './adapter-purpose.ts'
import {
  findBounceAdapter,
  isTokenNew,
  noteAdapterUse,
  type StoredAdapter,
  spendToken,
} from './bounce-adapter-store.ts'
import { findEmailAddress } from './email-ref-store.ts'
import { type HookReading, type HookRequest, hookBytesMax } from './hook-event.ts'
import { mailgunToleranceMs, receiveMailgun } from './mailgun-adapter.ts'
import { receiveMessage } from './message-adapter.ts'
import { receivePostmark } from './postmark-adapter.ts'
import { recordEvents } from './record-events.ts'
import { receiveResend } from './resend-adapter.ts'
import { receiveSendgrid } from './sendgrid-adapter.ts'
import { receiveSes, type SnsOutside } from './ses-adapter.ts'
import { snsOutside } from './sns-outside.ts'

const HookReply = z
  .object({ events: z.number().int(), recorded: z.number().int() })
  .meta({ id: 'HookReply', example: { events: 1, recorded: 1 } })

export function registerBounceHooks(app: ApiInstance, ctx: ApiContext): void {
  const outside = snsOutside(ctx.fetchText)
  app.decorateRequest('bounceAdapter')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: unknown) => body)

  app.route({
    method: 'POST',
    url: '/hooks/bounces/:adapter/:secret',
    bodyLimit: hookBytesMax,
    config: { linkKinds: ['bounce_hook'] },
    schema: {
      tags: ['bounces'],
      summary: 'Where a provider reports bounces and complaints',
      description:
        'The address, with its secret, is shown once when the adapter is made. `message` takes whole bounce messages (RFC 3464) and complaints (RFC 5965).',
      params: z.object({ adapter: z.string(), secret: z.string() }),
      response: {
        200: HookReply,
        400: Problem,
        401: Problem,
        404: Problem,
        413: Problem,
        503: Problem,
      },
    },
    // Before the body is read: whoever has no secret sends nothing.
    onRequest: async (request) => {
      const { adapter, secret } = request.params
      const secretHash = isToken(secret) ? hashSecret(secret) : undefined
      const stored = secretHash && (await findBounceAdapter(ctx.pg, { adapter, secretHash }))
      request.setDecorator<StoredAdapter>('bounceAdapter', found(stored))
    },
    handler: async (request) => {
      const stored = request.getDecorator<StoredAdapter>('bounceAdapter')
      const reading = await receive(ctx, stored, { request, outside })
      if (reading.kind === 'forged') throw new CodedError('invalid_credentials')
      if (reading.kind === 'unreadable') {
        throw new CodedError('validation_failed', {
          message: `The body is not what ${stored.adapter} sends.`,
        })
      }
      const now = new Date(ctx.clock.nowMs())
      await noteAdapterUse(ctx.pg, { id: stored.id, now })
      const source = { organizationId: stored.organizationId, source: stored.adapter }
      const { recorded } = await recordEvents(ctx, source, reading.events)
      const { token } = reading
      if (token !== undefined) {
        const keptMs = 2 * mailgunToleranceMs
        await spendToken(ctx.pg, { adapterId: stored.id, token, keptMs, now })
      }
      return { events: reading.events.length, recorded }
    },
  })
}

async function receive(
  ctx: ApiContext,
  stored: StoredAdapter,
  { request, outside }: { request: FastifyRequest; outside: SnsOutside },
): Promise<HookReading> {
  const { adapter, id, sealedSettings } = stored
  const opened: unknown = JSON.parse(ctx.box.open(adapterPurpose, id, sealedSettings))
  const known = BounceAdapterSettings.parse({ adapter, settings: opened })
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const hook: HookRequest = { headers: request.headers, body, nowMs: ctx.clock.nowMs() }
  switch (known.adapter) {
    case 'ses':
      return receiveSes(hook, known.settings, outside)
    case 'postmark':
      return receivePostmark(hook, known.settings)
    case 'mailgun':
      return receiveMailgun(hook, known.settings, (token) =>
        isTokenNew(ctx.pg, { adapterId: id, token, now: new Date(hook.nowMs) }),
      )
    case 'sendgrid':
      return receiveSendgrid(hook, known.settings)
    case 'resend':
      return receiveResend(hook, known.settings)
    case 'message':
      return receiveMessage(hook, (reference) => addressOfEmail(ctx, stored, reference))
  }
}

async function addressOfEmail(
  ctx: ApiContext,
  { organizationId }: StoredAdapter,
  reference: string,
): Promise<string | undefined> {
  const ref = findEmailRef(reference)
  const email = ref && (await findEmailAddress(ctx.pg, { organizationId, ref }))
  return email?.email ?? undefined
}
