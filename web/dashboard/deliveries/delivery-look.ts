/** How a delivery is named in lists. */
import type { Tone } from '../design/content/badge.tsx'
import { formatDuration } from '../design/content/format.ts'
import type { Delivery } from '../generated/api.d.ts'
import { channelLabels } from './channel-labels.ts'

export const stateTones: Readonly<Record<Delivery['state'], Tone>> = {
  pending: 'info',
  delivered: 'success',
  failed: 'danger',
}

export const stateLabels: Readonly<Record<Delivery['state'], string>> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
}

/** `Webhook hooks.shop.test`, `Email owners`. */
export function targetName({ target }: Delivery): string {
  const label = (channelLabels as Readonly<Record<string, string>>)[target.type] ?? target.type
  const { url, to, chat_id: chat } = target.shown as Readonly<Record<string, unknown>>
  if (typeof url === 'string' && URL.canParse(url)) return `${label} ${new URL(url).host}`
  if (Array.isArray(to)) return `${label} ${to.join(', ')}`
  return typeof chat === 'string' ? `${label} ${chat}` : label
}

/** `200 in 14 ms`, `no answer within 10 s`, `not attempted yet`. */
export function lastAttemptWords({ attempts }: Pick<Delivery, 'attempts'>): string {
  const last = attempts.at(-1)
  if (last === undefined) return 'not attempted yet'
  const took = formatDuration(last.latency_ms)
  if (last.error !== null)
    return last.status === null ? last.error : `${last.status}: ${last.error}`
  return last.status === null ? `sent in ${took}` : `${last.status} in ${took}`
}

/** `Test`, `issue.new`, or the reason of the notification. */
export function subjectOf({ is_test: isTest, payload }: Delivery): string {
  if (isTest) return 'Test'
  const { type, data } = payload as { readonly type?: unknown; readonly data?: unknown }
  const reason = (data as { readonly reason?: unknown } | undefined)?.reason
  return typeof reason === 'string' ? reason : String(type ?? '')
}
