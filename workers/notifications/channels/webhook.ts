import { signWebhook } from '#platform/http/sign-webhook.ts'
import type { Channel } from './channel.ts'

/** The stored payload, signed as Standard Webhooks describes. */
export const webhookRequest: Channel<'webhook'> = ({ url }, { id, atMs, payload, secrets }) => {
  const body = JSON.stringify(payload)
  const type = { 'content-type': 'application/json; charset=utf-8' }
  return { url, headers: { ...type, ...signWebhook({ id, atMs, body, secrets }) }, body }
}
