/**
 * How many requests of one address a portal takes in a minute (portal-feedback-api: Limits), and how many suggestions an hour of one
 * address and of all together. Limits of an address come first, so that one address never uses up what a portal has for all. Reads are counted in this process and
 * pass while the store is down. Writes are counted in Postgres, so that several processes do not add up, and are refused while
 * it does not answer. Every request counts, good or bad; what a full window refuses does not.
 */
import { RecentMap } from '#platform/recent-map.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { ApiContext } from '../../context.ts'
import type { Database } from '../../database.ts'
import { rateHeaders, takeHits, type WindowState } from '../../rate-limits/rate-window-store.ts'
import { SlidingWindow } from '../../rate-limits/sliding-window.ts'
import type { PortalProject } from './portal-directory.ts'

export const portalLimits = {
  read: { hitsMax: 120, what: 'reads' },
  vote: { hitsMax: 5, what: 'votes' },
  suggest: { hitsMax: 5, what: 'suggestions' },
  comment: { hitsMax: 5, what: 'comments' },
  feedback_intake: { hitsMax: 5, what: 'feedback' },
  /** Not of the specification: keeps floods of them from the store, and no browser comes near it. */
  preflight: { hitsMax: 600, what: 'preflights' },
  /** Of the hosted page: each makes several reads, which count as the one page view. */
  page: { hitsMax: 600, what: 'page views' },
} as const
export type PortalLimit = keyof typeof portalLimits

const windowMs = 60_000
const hourMs = 3_600_000
const keysMax = 100_000
/** One address gets this part of what a portal takes in an hour. */
const addressShare = 4

export class PortalLimits {
  readonly #ctx: Pick<ApiContext, 'pg' | 'clock'>
  readonly #reads = new SlidingWindow({ windowMs, keysMax })
  /** Until when a shared window has no room for sure: a flood is turned away without asking the store again. */
  readonly #fullUntilMs = new RecentMap<string, number>(keysMax)

  constructor(ctx: Pick<ApiContext, 'pg' | 'clock'>) {
    this.#ctx = ctx
  }

  get evictedCount(): number {
    return this.#reads.evictedCount
  }

  /** The headers of the reply; throws the refusal with them. No I/O. */
  takeRead(limit: 'read' | 'preflight' | 'page', address: string): Record<string, string> {
    const { hitsMax } = portalLimits[limit]
    const hit = this.#reads.hit(`${limit}:${address}`, hitsMax, this.#ctx.clock.monotonicMs())
    if (hit.isFull) throw new PortalLimitError(limit, hit, hit.resetSeconds)
    return rateHeaders(hit)
  }

  /** Before anything is read for a write: refuses what is full for sure. */
  refuseFull(limit: PortalLimit, address: string, portal: PortalProject | undefined): void {
    const { bucket, hitsMax } = sharedWindow(limit, address, portal)
    const untilMs = this.#fullUntilMs.get(bucket)
    if (untilMs === undefined) return
    const leftMs = untilMs - this.#ctx.clock.monotonicMs()
    if (leftMs <= 0) {
      this.#fullUntilMs.delete(bucket)
      return
    }
    const resetSeconds = Math.ceil(leftMs / 1000) + 1
    const state = { bucket, hitsMax, windowMs, remaining: 0, resetSeconds }
    throw new PortalLimitError(limit, state, resetSeconds)
  }

  async takeWrite(
    limit: PortalLimit,
    address: string,
    portal: PortalProject | undefined,
  ): Promise<Record<string, string>> {
    const window = sharedWindow(limit, address, portal)
    const taken = await takeHits(this.#ctx.pg, [window], new Date(this.#ctx.clock.nowMs()))
    if (taken.kind === 'taken') return rateHeaders(taken.windows[0]!)
    this.#rememberFull(window.bucket, taken.retryAfterSeconds)
    throw new PortalLimitError(limit, taken.window, taken.retryAfterSeconds)
  }

  /** The seconds were rounded up: within the last one there may be room already. */
  #rememberFull(bucket: string, retryAfterSeconds: number): void {
    const fullMs = (retryAfterSeconds - 1) * 1000
    if (fullMs <= 0) return
    this.#fullUntilMs.set(bucket, this.#ctx.clock.monotonicMs() + fullMs)
  }
}

/**
 * One suggestion of what the address and then the portal may send in an hour. In the transaction of the suggestion, so that one which
 * is refused afterwards costs nothing.
 */
export async function takeSuggestion(
  pg: Database,
  { portal, address, now }: { portal: PortalProject; address: string; now: Date },
): Promise<void> {
  const { projectId, settings } = portal
  const hitsMax = settings.suggestionsPerHourMax
  const addressMax = Math.max(1, Math.floor(hitsMax / addressShare))
  const bucket = `suggestions:${projectId}`
  for (const [limit, window] of [
    ['suggest_hour', { bucket: `${bucket}:${address}`, hitsMax: addressMax, windowMs: hourMs }],
    ['suggest_portal', { bucket, hitsMax, windowMs: hourMs }],
  ] as const) {
    const taken = await takeHits(pg, [window], now)
    if (taken.kind === 'full') {
      throw new PortalLimitError(limit, taken.window, taken.retryAfterSeconds)
    }
  }
}

/** A portal that lets more votes through counts them by itself: elsewhere the address has no more than before. */
function sharedWindow(limit: PortalLimit, address: string, portal: PortalProject | undefined) {
  const { hitsMax } = portalLimits[limit]
  const raised = limit === 'vote' ? (portal?.settings.votesPerMinuteMax ?? hitsMax) : hitsMax
  if (raised <= hitsMax) return { bucket: `portal:${limit}:${address}`, hitsMax, windowMs }
  const bucket = `portal:${limit}:${portal?.projectId}:${address}`
  return { bucket, hitsMax: raised, windowMs }
}

/** Says which limit it was: people behind one address of an office otherwise look for it in vain. */
export class PortalLimitError extends CodedError {
  readonly headers: Readonly<Record<string, string>>

  constructor(
    limit: PortalLimit | 'suggest_hour' | 'suggest_portal',
    state: WindowState,
    retryAfterSeconds: number,
  ) {
    super('rate_limited', { ...refusalOf(limit, state.hitsMax) })
    this.headers = rateHeaders(state, retryAfterSeconds)
  }
}

function refusalOf(limit: PortalLimit | 'suggest_hour' | 'suggest_portal', hitsMax: number) {
  switch (limit) {
    case 'suggest_hour':
      return {
        message: `Too many requests: one address has ${hitsMax} suggestions an hour here.`,
        details: [{ field: limit, rule: `at most ${hitsMax} an hour and address` }],
      }
    case 'suggest_portal':
      return {
        message: `Too many requests: this portal takes ${hitsMax} suggestions an hour.`,
        details: [{ field: limit, rule: `at most ${hitsMax} an hour and portal` }],
      }
    default:
      return {
        message: `Too many requests: one address has ${hitsMax} ${portalLimits[limit].what} a minute here.`,
        details: [{ field: limit, rule: `at most ${hitsMax} a minute and address` }],
      }
  }
}
