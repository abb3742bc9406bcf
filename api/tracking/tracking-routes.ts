/**
 * `/o/{token}.gif` and `/c/{token}/{index}`: the pixel and the links in emails of campaigns that
 * track opens and clicks. A click redirects to the URL that was stored when the campaign was
 * frozen, never to one of the request, so this is no open redirect.
 */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import { contactTokenOf } from '../auth/link-kinds.ts'
import { honeypotLinkIndex } from '../compose/track-links.ts'
import type { ApiContext } from '../context.ts'
import { periodicTasksOf } from '../http/periodic-tasks.ts'
import type { ApiInstance } from '../http/route.ts'
import { HitBuffer } from './hit-buffer.ts'
import type { Hit } from './mark-machines.ts'
import { TrackedCampaigns } from './tracked-campaigns.ts'

/** One transparent pixel (GIF 89a). */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64')

export async function registerTracking(app: ApiInstance, ctx: ApiContext): Promise<void> {
  const campaigns = new TrackedCampaigns(ctx)
  const buffer = new HitBuffer(ctx)
  const flushing = periodicTasksOf(app).start(buffer.flushTask())
  app.addHook('onClose', async () => {
    await flushing.stop()
    await buffer.flushAll()
  })

  app.route({
    method: 'GET',
    url: '/o/:token',
    config: { linkKinds: ['open', 'legacy'] },
    schema: { hide: true, params: z.object({ token: z.string() }) },
    handler: async (request, reply) => {
      const { token } = request.params
      const ids = readToken(request, token.endsWith('.gif') ? token.slice(0, -'.gif'.length) : '')
      const campaign = await campaigns.find(ids.campaignId)
      if (campaign?.tracksOpens) {
        const hit = { ...hitOf(request), ...ids, kind: 'open' as const, linkIndex: null }
        buffer.add({ ...hit, namesContact: campaign.namesContacts })
      }
      return reply
        .type('image/gif')
        .header('cross-origin-resource-policy', 'cross-origin')
        .send(pixel)
    },
  })

  app.route({
    method: 'GET',
    url: '/c/:token/:index',
    config: { linkKinds: ['click', 'legacy'] },
    schema: { hide: true, params: z.object({ token: z.string(), index: z.string() }) },
    handler: async (request, reply) => {
      const ids = readToken(request, request.params.token)
      const linkIndex = indexOf(request.params.index)
      const campaign = await campaigns.find(ids.campaignId)
      const target = campaign?.links[linkIndex]
      const isTrap = linkIndex === honeypotLinkIndex && campaign?.tracksClicks
      if (campaign === undefined || (target === undefined && !isTrap)) {
        throw new CodedError('not_found')
      }
      const hit = { ...hitOf(request), ...ids, kind: 'click' as const, linkIndex }
      buffer.add({ ...hit, namesContact: campaign.namesContacts })
      if (target === undefined) return reply.code(204).send()
      return reply.redirect(new URL(target).href, 302)
    },
  })

  function readToken(
    request: FastifyRequest,
    text: string,
  ): { contactId: string; campaignId: string } {
    const { contactId, campaignId = null } = contactTokenOf(request, text, ctx)?.ids ?? {}
    if (contactId === undefined || campaignId === null) throw new CodedError('not_found')
    return { contactId, campaignId }
  }

  function hitOf(request: FastifyRequest): Pick<Hit, 'isProbe' | 'userAgent' | 'atMs'> {
    const userAgent = request.headers['user-agent']?.replace(/[^\x20-\x7e]/g, '') ?? null
    return { isProbe: request.method === 'HEAD', userAgent, atMs: ctx.clock.nowMs() }
  }
}

function indexOf(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new CodedError('not_found')
  return Number(text)
}
