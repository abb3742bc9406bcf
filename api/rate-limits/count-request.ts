import type { FastifyReply } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import { rateHeaders } from './rate-window-store.ts'
import type { SlidingWindow } from './sliding-window.ts'

export interface CountedRequest {
  readonly key: string
  readonly hitsMax: number
  readonly nowMs: number
  /** The message of the error, when the one of `rate_limited` says too little. */
  readonly message?: string
}

/**
 * Counts a request and sets the `RateLimit-*` headers. Throws `rate_limited` when the window is
 * full.
 */
export function countRequest(
  window: SlidingWindow,
  reply: FastifyReply,
  { key, hitsMax, nowMs, message }: CountedRequest,
): void {
  const hit = window.hit(key, hitsMax, nowMs)
  reply.headers(rateHeaders(hit, hit.isFull ? hit.resetSeconds : undefined))
  if (hit.isFull) throw new CodedError('rate_limited', message === undefined ? {} : { message })
}
