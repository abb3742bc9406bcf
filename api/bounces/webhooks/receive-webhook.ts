/**
 * Handles a request to a provider's webhook: authenticate, parse, record, reply. The secret in the
 * path selects the adapter, and the check of the adapter proves that the provider sent the payload.
 */
import { CodedError } from '#schemas/error-codes.ts'
import { BounceAdapterSettings } from '#schemas/mail/bounce-adapter.ts'
import { findEmailRef } from '#schemas/mail/bounce-ref.ts'
import type { ApiContext } from '../../context.ts'
import {
  adapterPurpose,
  isTokenNew,
  noteAdapterUse,
  type StoredAdapter,
  spendToken,
} from './bounce-adapter-store.ts'
import { findEmailAddress } from './email-ref-store.ts'
import { mailgunToleranceMs, receiveMailgun } from './mailgun-adapter.ts'
import { receiveMessage } from './message-adapter.ts'
import { receivePostmark } from './postmark-adapter.ts'
import { recordEvents } from './record-events.ts'
import { receiveResend } from './resend-adapter.ts'
import { receiveSendgrid } from './sendgrid-adapter.ts'
import { receiveSes, type SnsOutside } from './ses-adapter.ts'
import type { WebhookReading, WebhookRequest } from './webhook-event.ts'

type WebhookContext = ApiContext & { readonly outside: SnsOutside }

/**
 * Throws `invalid_credentials` for a payload that the provider did not sign, and
 * `validation_failed` for one it does not send.
 */
export async function receiveWebhook(
  ctx: WebhookContext,
  stored: StoredAdapter,
  request: Pick<WebhookRequest, 'headers' | 'body'>,
): Promise<{ events: number; recorded: number }> {
  const nowMs = ctx.clock.nowMs()
  const reading = await readWebhook(ctx, stored, { ...request, nowMs })
  if (reading.kind === 'forged') throw new CodedError('invalid_credentials')
  if (reading.kind === 'unreadable') {
    const message = `The body is not what ${stored.adapter} sends.`
    throw new CodedError('validation_failed', { message })
  }
  const now = new Date(nowMs)
  await noteAdapterUse(ctx.pg, { id: stored.id, now })
  const source = { organizationId: stored.organizationId, source: stored.adapter }
  const { recorded } = await recordEvents(ctx, source, reading.events)
  const { token } = reading
  if (token !== undefined) {
    const keptMs = 2 * mailgunToleranceMs
    await spendToken(ctx.pg, { adapterId: stored.id, token, keptMs, now })
  }
  return { events: reading.events.length, recorded }
}

async function readWebhook(
  ctx: WebhookContext,
  stored: StoredAdapter,
  webhook: WebhookRequest,
): Promise<WebhookReading> {
  const { adapter, id, sealedSettings } = stored
  const opened: unknown = JSON.parse(ctx.box.open(adapterPurpose, id, sealedSettings))
  const known = BounceAdapterSettings.parse({ adapter, settings: opened })
  switch (known.adapter) {
    case 'ses':
      return receiveSes(webhook, known.settings, ctx.outside)
    case 'postmark':
      return receivePostmark(webhook, known.settings)
    case 'mailgun':
      return receiveMailgun(webhook, known.settings, (token) =>
        isTokenNew(ctx.pg, { adapterId: id, token, now: new Date(webhook.nowMs) }),
      )
    case 'sendgrid':
      return receiveSendgrid(webhook, known.settings)
    case 'resend':
      return receiveResend(webhook, known.settings)
    case 'message':
      return receiveMessage(webhook, (reference) => addressOfEmail(ctx, stored, reference))
  }
}

async function addressOfEmail(
  ctx: Pick<ApiContext, 'pg'>,
  { organizationId }: StoredAdapter,
  reference: string,
): Promise<string | undefined> {
  const ref = findEmailRef(reference)
  const email = ref && (await findEmailAddress(ctx.pg, { organizationId, ref }))
  return email?.email ?? undefined
}
