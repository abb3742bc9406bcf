/**
 * Limits on wrong passwords. Failures are counted for three buckets: the client (an account from
 * one network), the account from networks where it never logged in, and the network over all
 * accounts. After a number of free failures each further one is followed by a delay that doubles. A
 * client that has logged in to the account before is delayed by its own failures only, so guesses
 * from elsewhere do not lock out the owner. An attempt is counted before the password is checked,
 * so concurrent attempts do not evade the limit.
 */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { clientAddress } from '../http/client-address.ts'
import { type DelayedBucket, takeDelayedHits, undoDelayedHits } from './delayed-hit-store.ts'
import { isLoginNetwork } from './login-network-store.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
/** A bucket expires this long after the end of its longest delay without a failure. */
const windowMs = 15 * minuteMs

const clientDelays = { free: 5, firstMs: minuteMs, longestMs: 15 * minuteMs }
/**
 * Counts the accounts tried from a network, not the attempts: wrong passwords of one person count
 * once.
 */
const networkDelays = { free: 5, firstMs: minuteMs, longestMs: 15 * minuteMs, withFirst: true }
/**
 * Over all networks that are new to the account. It slows down guessing and never locks the
 * account.
 */
const accountDelays = { free: 20, firstMs: 2 * secondMs, longestMs: 5 * minuteMs }

export interface LoginClient {
  /** The network in the form in which it is stored for the account. */
  readonly key: string
  /** Null behind an undeclared proxy, where all clients would appear as one network. */
  readonly network: string | null
}

export type LoginAttempt =
  | { readonly kind: 'counted'; readonly clientBucket: string; readonly others: readonly string[] }
  | { readonly kind: 'too_many'; readonly retryAfterSeconds: number }

export function loginClientOf(
  request: FastifyRequest,
  { trustedProxies }: Pick<ApiContext, 'trustedProxies'>,
): LoginClient {
  const network = clientAddress(request)
  const declared = typeof trustedProxies === 'number' ? trustedProxies : trustedProxies.length
  const forwarded = request.headers['x-forwarded-for'] ?? request.headers.forwarded
  if (0 < declared || forwarded === undefined) return { key: network, network }
  const claim = createHash('sha256').update(`${network} ${forwarded}`).digest('base64url')
  return { key: `forwarded:${claim}`, network: null }
}

export async function countAttempt(
  who: { readonly email: string; readonly client: LoginClient },
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
): Promise<LoginAttempt> {
  const { email, client } = who
  const now = new Date(ctx.clock.nowMs())
  const isKnown = await isLoginNetwork(ctx.pg, { email, network: client.key, now })
  const clientBucket = `login:1 ${client.key} ${email}`
  const buckets: DelayedBucket[] = [{ bucket: clientBucket, ...clientDelays }]
  if (!isKnown) {
    buckets.push({ bucket: `login:2 ${email}`, ...accountDelays })
    if (client.network !== null) {
      buckets.push({ bucket: `login:3 ${client.network}`, ...networkDelays })
    }
  }
  return take(buckets, now, ctx)
}

/**
 * Counts wrong current passwords of a password change, separately from wrong passwords of log-ins.
 */
export function countPasswordCheck(
  personId: string,
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
): Promise<LoginAttempt> {
  const bucket = { bucket: `password-change ${personId}`, ...clientDelays }
  return take([bucket], new Date(ctx.clock.nowMs()), ctx)
}

export function tooManyPasswords(attempt: { readonly retryAfterSeconds: number }): CodedError {
  const { retryAfterSeconds } = attempt
  const message = `Too many wrong passwords: try again in ${retryAfterSeconds} s.`
  return new CodedError('rate_limited', { message, retryAfterSeconds })
}

async function take(
  buckets: readonly DelayedBucket[],
  now: Date,
  ctx: Pick<ApiContext, 'pg'>,
): Promise<LoginAttempt> {
  const taken = await ctx.pg.transaction((pg) => takeDelayedHits(pg, buckets, { now, windowMs }))
  if (taken.kind === 'wait') {
    const waitMs = taken.until.getTime() - now.getTime()
    return { kind: 'too_many', retryAfterSeconds: Math.max(1, Math.ceil(waitMs / secondMs)) }
  }
  const [clientBucket = '', ...others] = taken.counted
  return { kind: 'counted', clientBucket, others }
}

/**
 * Clears the bucket of the client. The other buckets get back this one attempt only; otherwise one
 * known password would allow unlimited guesses on other accounts from the same network.
 */
export async function forgiveAttempt(
  pg: Database,
  attempt: { readonly clientBucket: string; readonly others: readonly string[] },
): Promise<void> {
  await undoDelayedHits(pg, { cleared: attempt.clientBucket, reduced: attempt.others })
}
