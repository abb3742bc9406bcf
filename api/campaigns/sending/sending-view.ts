import type { Delivery, Sending } from '#schemas/rest/email/sending.ts'
import type { SendingBooks, StoredDelivery } from './delivery-store.ts'

export function sendingView(books: SendingBooks): Sending {
  const { transportRateMax, rateMax, rate, warmUp: _warmUp, ...rest } = books
  const limits = [transportRateMax, rateMax].filter((limit) => limit !== null)
  const limit = limits.length === 0 ? null : Math.min(...limits)
  return {
    ...rest,
    state: books.state as Sending['state'],
    scheduledAt: books.scheduledAt?.toISOString() ?? null,
    sentAt: books.sentAt?.toISOString() ?? null,
    finishedAt: books.finishedAt?.toISOString() ?? null,
    ratePerSecond: rate === null ? null : Math.round(rate * 10) / 10,
    rateMax: limit,
    etaSeconds: etaSeconds(books, limit),
  }
}

/** By what it does lately, and before it does anything by what it may do. */
function etaSeconds(books: SendingBooks, limit: number | null): number | null {
  if (books.waiting === 0) return books.state === 'sent' ? 0 : null
  if (books.state !== 'sending' || books.warmUp) return null
  const rate = books.rate !== null && books.rate > 0 ? books.rate : limit
  return rate === null ? null : Math.ceil(books.waiting / rate)
}

export function deliveryView(delivery: StoredDelivery): Delivery {
  return {
    ...delivery,
    handedOverAt: delivery.handedOverAt?.toISOString() ?? null,
    finishedAt: delivery.finishedAt?.toISOString() ?? null,
  }
}
