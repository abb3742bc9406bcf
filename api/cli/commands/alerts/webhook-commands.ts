/** `webhook`: outgoing webhooks of the organization. */
import {
  WebhookChange,
  WebhookInput,
  type WebhookItem,
  webhookEvents,
} from '#schemas/rest/alerts/webhook.ts'
import { commandLineActor } from '../../../audit/audit-store.ts'
import { createWebhook } from '../../../webhooks/create-webhook.ts'
import { deleteWebhook } from '../../../webhooks/delete-webhook.ts'
import { rotateWebhookSecret } from '../../../webhooks/rotate-webhook-secret.ts'
import { updateWebhook } from '../../../webhooks/update-webhook.ts'
import { findWebhook, listStoredWebhooks } from '../../../webhooks/webhook-store.ts'
import { webhookViews } from '../../../webhooks/webhook-view.ts'
import type { Run, VerbPlan } from '../../command.ts'
import { checkFields } from '../../files/json-file.ts'
import { sessionWith } from '../../session.ts'
import { UsageError } from '../../usage-error.ts'
import { idIn, orUnknown } from '../project-actor.ts'
import { deliveryVerbs } from './delivery-verbs.ts'

const operand = 'id'
const flags = {
  '--events <events>': `separated by commas: ${webhookEvents.join(', ')}`,
  '--label <label>': 'what it is for',
} as const

export const webhookVerbs: readonly VerbPlan[] = [
  {
    verb: 'list',
    operation: 'listWebhooks',
    summary: 'List the webhooks of an organization',
    run: async ({ session, organization }) => {
      const rows = await listStoredWebhooks(session.pg, await organization())
      return webhookViews(session.pg, rows)
    },
  },
  {
    verb: 'show',
    operation: 'getWebhook',
    summary: 'Show a webhook',
    operand,
    run: async (run) => {
      const { pg } = run.session
      const [view] = await webhookViews(pg, [await namedWebhook(run)])
      if (view === undefined) throw new UsageError(unknown(idIn(run)))
      return view
    },
  },
  {
    verb: 'create',
    operation: 'createWebhook',
    summary: 'Create a webhook; its secret is printed only once',
    flags: { '--url <url>': 'where requests are sent!', ...flags },
    run: async (run) => {
      const input = checkFields(WebhookInput, { events: [], ...fieldsIn(run) })
      return createWebhook(await contextOf(run), commandLineActor(await run.organization()), input)
    },
  },
  {
    verb: 'update',
    operation: 'updateWebhook',
    summary: 'Update a webhook; its secret stays',
    operand,
    flags: { '--url <url>': 'where requests are sent', ...flags },
    run: async (run) => {
      const change = checkFields(WebhookChange, fieldsIn(run))
      if (Object.keys(change).length === 0) {
        throw new UsageError('Say what to update: --url, --events or --label.')
      }
      return applyChange(run, change)
    },
  },
  {
    verb: 'enable',
    operation: 'updateWebhook',
    summary: 'Enable a webhook, also after its URL was disabled because it answered 410',
    operand,
    run: (run) => applyChange(run, { enabled: true }),
  },
  {
    verb: 'disable',
    operation: 'updateWebhook',
    summary: 'Disable a webhook: it gets no events',
    operand,
    run: (run) => applyChange(run, { enabled: false }),
  },
  {
    verb: 'delete',
    operation: 'deleteWebhook',
    summary: 'Delete a webhook with its deliveries',
    operand,
    run: async (run) => {
      const id = idIn(run)
      const actor = commandLineActor(await run.organization())
      await orUnknown(unknown(id), deleteWebhook(run.session, actor, { id }))
      return { id, deleted: true }
    },
  },
  ...deliveryVerbs({
    what: 'a webhook',
    operations: {
      test: 'testWebhook',
      list: 'listWebhookDeliveries',
      replay: 'replayWebhookDelivery',
    },
    ownerOf,
  }),
  {
    verb: 'rotate-secret',
    operation: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook; the old one signs along for 24 hours',
    operand,
    run: async (run) => {
      const id = idIn(run)
      const actor = commandLineActor(await run.organization())
      const ctx = await contextOf(run)
      return orUnknown(unknown(id), rotateWebhookSecret(ctx, actor, { id }))
    },
  },
]

const unknown = (id: string) => `No webhook has the id ${id}: see \`webhook list\`.`

async function namedWebhook(run: Run) {
  const id = idIn(run)
  const organizationId = await run.organization()
  const stored = await findWebhook(run.session.pg, { organizationId, id })
  if (stored === undefined) throw new UsageError(unknown(id))
  return stored
}

async function ownerOf(run: Run) {
  const { id } = await namedWebhook(run)
  const organizationId = await run.organization()
  return { owner: { kind: 'webhook', organizationId, id } as const, organizationId }
}

async function contextOf({ session }: Run) {
  return sessionWith(session, { box: await session.box() })
}

function fieldsIn({ flags: { url, label, events } }: Run) {
  return {
    ...(url !== undefined && { url }),
    ...(label !== undefined && { label }),
    ...(events !== undefined && { events: events.split(',').map((event) => event.trim()) }),
  }
}

async function applyChange(run: Run, change: WebhookChange): Promise<WebhookItem> {
  const id = idIn(run)
  const actor = commandLineActor(await run.organization())
  return orUnknown(unknown(id), updateWebhook(await contextOf(run), actor, { id, change }))
}
