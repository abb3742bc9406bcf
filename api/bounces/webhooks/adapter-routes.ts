/** Hooks of an organization. The address of one is as good as a key, so only owners make and remove them. */
import { v7 as uuidv7 } from 'uuid'
import { z } from 'zod'
import { CodedError } from '#schemas/error-codes.ts'
import {
  type BounceAdapterItem,
  BounceAdapterList,
  CreatedBounceAdapter,
  NewBounceAdapter,
} from '#schemas/rest/email/bounce-adapter.ts'
import { Problem } from '#schemas/rest/problem.ts'
import { addAudit } from '../../audit/audit-store.ts'
import { actorOf, personOf } from '../../auth/people-gate.ts'
import { makeToken } from '../../auth/secret.ts'
import type { ApiContext } from '../../context.ts'
import { type ApiInstance, replies, requireUuid } from '../../http/route.ts'
import { invalidField } from '../../http/validation/invalid-field.ts'
import { adapterPurpose } from './adapter-purpose.ts'
import {
  addBounceAdapter,
  countBounceAdapters,
  deleteBounceAdapter,
  listBounceAdapters,
  type StoredAdapter,
} from './bounce-adapter-store.ts'
import { parseSendgridKey } from './sendgrid-adapter.ts'

const tags = ['bounces']
const adaptersMax = 50
const { 200: _ok, ...errorReplies } = replies(Problem)

export function registerBounceAdapters(app: ApiInstance, ctx: ApiContext): void {
  app.route({
    method: 'GET',
    url: '/bounce-adapters',
    schema: {
      tags,
      summary: 'Hooks that take bounces from providers',
      response: replies(BounceAdapterList),
    },
    handler: async (request) => {
      const rows = await listBounceAdapters(ctx.pg, personOf(request).organizationId)
      return { items: rows.map(itemOf) }
    },
  })

  app.route({
    method: 'POST',
    url: '/bounce-adapters',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Make a hook for a provider',
      description: 'Settings are stored sealed and never shown again.',
      body: NewBounceAdapter,
      response: { ...errorReplies, 201: CreatedBounceAdapter, 409: Problem },
    },
    handler: async (request, reply) => {
      const { adapter, settings } = request.body
      if (adapter === 'sendgrid' && parseSendgridKey(settings.publicKey) === undefined) {
        throw invalidField('settings.publicKey', 'must be a public key on the curve P-256')
      }
      const { organizationId } = personOf(request)
      const id = uuidv7()
      const secret = makeToken()
      const stored = await ctx.pg.transaction(async (pg) => {
        if ((await countBounceAdapters(pg, organizationId)) >= adaptersMax) {
          const message = `An organization has at most ${adaptersMax} hooks.`
          throw new CodedError('conflict', { message })
        }
        await addAudit(pg, actorOf(request), {
          ...{ action: 'bounce_adapter.created', subjectType: 'bounce_adapter', subjectId: id },
          details: { adapter },
        })
        return addBounceAdapter(pg, {
          ...{ id, organizationId, adapter, secretHash: secret.hash },
          label: request.body.label ?? '',
          sealedSettings: ctx.box.seal(adapterPurpose, id, JSON.stringify(settings)),
        })
      })
      reply.code(201)
      return { ...itemOf(stored), url: `${ctx.apiUrl}/hooks/bounces/${adapter}/${secret.value}` }
    },
  })

  app.route({
    method: 'DELETE',
    url: '/bounce-adapters/:id',
    config: { role: 'owner' },
    schema: {
      tags,
      summary: 'Remove a hook: its address answers 404 from then on',
      params: z.object({ id: z.string() }),
      response: { ...errorReplies, 204: z.null() },
    },
    handler: async (request, reply) => {
      const id = requireUuid(request.params.id)
      const { organizationId } = personOf(request)
      await ctx.pg.transaction(async (pg) => {
        if (!(await deleteBounceAdapter(pg, { organizationId, id })))
          throw new CodedError('not_found')
        await addAudit(pg, actorOf(request), {
          ...{ action: 'bounce_adapter.removed', subjectType: 'bounce_adapter', subjectId: id },
        })
      })
      reply.code(204)
      return null
    },
  })
}

function itemOf({ id, adapter, label, lastUsedAt, createdAt }: StoredAdapter): BounceAdapterItem {
  return {
    ...{ id, adapter, label },
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }
}
