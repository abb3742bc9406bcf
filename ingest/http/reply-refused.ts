/**
 * The answers to requests of a project that is over a limit (Sentry envelope protocol: rate limits). The header names the
 * category `error` alone, so that clients go on sending what costs nothing, and holds no space, because some clients do
 * not trim.
 */
import { quotaRetryAfterSecondsMax } from '#schemas/limits.ts'
import type { Refusal } from '../quota/refusal.ts'
import { type Reply, replyFailure } from './replies.ts'

/** By seconds: at most one reply for each refusal and second that a client is asked to wait. */
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
 * A good answer to a project whose events would be refused now, so that its clients stop sending them sooner. Without
 * `Retry-After`, which some clients take to heart whatever the status is: they would stop sending everything.
 */
export function replyLimited(reply: Reply, refusal: Refusal, seconds: number): Reply {
  const head = Buffer.concat([reply.head, Buffer.from(`\r\n${limitHeader(refusal, seconds)}`)])
  return { ...reply, head }
}

function limitHeader({ scope, reason }: Refusal, seconds: number): string {
  return `X-Sentry-Rate-Limits: ${seconds}:error:${scope}:${reason}`
}
