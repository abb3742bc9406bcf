/**
 * How often passwords may be guessed. Failures are counted for three: the client (an account from one network), the account from
 * networks where it never logged in, and the network over all accounts. From a number of failures on, each one is followed by a
 * delay that doubles. A client that has logged in to this account before is delayed by its own failures only, so nobody who guesses
 * elsewhere keeps the owner out. An attempt is counted before the password is looked at, so that a thousand at once are no way around.
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
/** A bucket forgets its failures after so long without one, counted from the end of its longest delay. */
const windowMs = 15 * minuteMs

const clientDelays = { free: 5, firstMs: minuteMs, longestMs: 15 * minuteMs }
/** Of the accounts that were tried from a network, not of the attempts: a colleague's typing mistakes count once. */
const networkDelays = { free: 5, firstMs: minuteMs, longestMs: 15 * minuteMs, withFirst: true }
/** Over all networks that are new to the account: it slows guessing down and never becomes a lock. */
const accountDelays = { free: 20, firstMs: 2 * secondMs, longestMs: 5 * minuteMs }

export interface LoginClient {
  /** What the account remembers of it. */
  readonly key: string
  /** Null: a proxy that nobody declared stands before us, so all its clients would be one network. */
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

/** Changing one's password has a counter of its own: wrong passwords there delay no login, and the other way round. */
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
 * The client starts afresh. The others get only this one attempt back: else one account of one's own would be enough to guess at all
 * others from there.
 */
export async function forgiveAttempt(
  pg: Database,
  attempt: { readonly clientBucket: string; readonly others: readonly string[] },
): Promise<void> {
  await undoDelayedHits(pg, { cleared: attempt.clientBucket, reduced: attempt.others })
}
