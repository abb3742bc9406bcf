import type { Delivery, Sending } from '#schemas/rest/email/sending.ts'
import type { SendingAccounting, StoredDelivery } from './delivery-store.ts'

export function sendingView(accounting: SendingAccounting): Sending {
  const { transportRateMax, rateMax, rate, warmUp: _warmUp, ...rest } = accounting
  const limits = [transportRateMax, rateMax].filter((limit) => limit !== null)
  const limit = limits.length === 0 ? null : Math.min(...limits)
  return {
    ...rest,
    state: accounting.state as Sending['state'],
    scheduledAt: accounting.scheduledAt?.toISOString() ?? null,
    sentAt: accounting.sentAt?.toISOString() ?? null,
    finishedAt: accounting.finishedAt?.toISOString() ?? null,
    ratePerSecond: rate === null ? null : Math.round(rate * 10) / 10,
    rateMax: limit,
    etaSeconds: etaSeconds(accounting, limit),
  }
}

/**
 * Estimated from the recent rate, or from the limit while nothing has been sent. Null if unknown.
 */
function etaSeconds(accounting: SendingAccounting, limit: number | null): number | null {
  if (accounting.waiting === 0) return accounting.state === 'sent' ? 0 : null
  if (accounting.state !== 'sending' || accounting.warmUp) return null
  const rate = accounting.rate !== null && accounting.rate > 0 ? accounting.rate : limit
  return rate === null ? null : Math.ceil(accounting.waiting / rate)
}

export function deliveryView(delivery: StoredDelivery): Delivery {
  return {
    ...delivery,
    handedOverAt: delivery.handedOverAt?.toISOString() ?? null,
    finishedAt: delivery.finishedAt?.toISOString() ?? null,
  }
}
