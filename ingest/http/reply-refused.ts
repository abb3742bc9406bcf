/**
 * Replies for projects that are over a limit (Sentry envelope protocol: rate limits). The header
 * names the category `error` only, so that clients keep sending items that cost no quota. It
 * contains no space, because some clients do not trim.
 */
import { quotaRetryAfterSecondsMax } from '#schemas/limits.ts'
import type { Refusal } from '../quota/refusal.ts'
import { type Reply, replyFailure } from './replies.ts'

/** Replies by seconds: one for each refusal and wait time. */
const made = new Map<Refusal, Map<number, Reply>>()

/** @param seconds whole, from 1 to the longest wait. */
export function replyRefused(refusal: Refusal, seconds: number): Reply {
  let bySeconds = made.get(refusal)
  if (bySeconds === undefined) {
    bySeconds = new Map()
    made.set(refusal, bySeconds)
  }
  let reply = bySeconds.get(seconds)
  if (reply === undefined) {
    reply = replyFailure(
      429,
      refusal.detail,
      [refusal.reason],
      [`Retry-After: ${seconds}`, limitHeader(refusal, seconds)],
    )
    if (bySeconds.size < quotaRetryAfterSecondsMax) bySeconds.set(seconds, reply)
  }
  return reply
}

/**
 * A success reply with the rate-limit header, so that clients of a project over its limit stop
 * sending events sooner. It has no `Retry-After`: some clients obey that header with any status and
 * would stop sending all items.
 */
export function replyLimited(reply: Reply, refusal: Refusal, seconds: number): Reply {
  const head = Buffer.concat([reply.head, Buffer.from(`\r\n${limitHeader(refusal, seconds)}`)])
  return { ...reply, head }
}

function limitHeader({ scope, reason }: Refusal, seconds: number): string {
  return `X-Sentry-Rate-Limits: ${seconds}:error:${scope}:${reason}`
}
