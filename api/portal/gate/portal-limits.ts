/**
 * Rate limits of a portal: requests a minute from one client address (portal-feedback-api:
 * Limits), and suggestions an hour from one address and of the whole portal. The limit of an
 * address is checked first, so that one address cannot use up the limit of the portal. Reads are
 * counted in this process and pass while the store is down. Writes are counted in Postgres, for all
 * processes together, and are refused while it is down. Every request counts, valid or not, except
 * those that a limit refuses.
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
  /** Not in the specification. Protects the store; browsers stay far below it. */
  preflight: { hitsMax: 600, what: 'preflights' },
  /** Requests of the hosted page. Each makes several reads, which count as one page view. */
  page: { hitsMax: 600, what: 'page views' },
} as const
export type PortalLimit = keyof typeof portalLimits

const windowMs = 60_000
const hourMs = 3_600_000
const keysMax = 100_000
/** One address gets one part in four of the portal's suggestions an hour. */
const addressShare = 4

export class PortalLimits {
  readonly #ctx: Pick<ApiContext, 'pg' | 'clock'>
  readonly #reads = new SlidingWindow({ windowMs, keysMax })
  /** Time until which a window in Postgres is full: requests are refused without a query. */
  readonly #fullUntilMs = new RecentMap<string, number>(keysMax)

  constructor(ctx: Pick<ApiContext, 'pg' | 'clock'>) {
    this.#ctx = ctx
  }

  get evictedCount(): number {
    return this.#reads.evictedCount
  }

  /** Returns the headers of the reply, or throws a refusal that has them. No I/O. */
  takeRead(limit: 'read' | 'preflight' | 'page', address: string): Record<string, string> {
    const { hitsMax } = portalLimits[limit]
    const hit = this.#reads.hit(`${limit}:${address}`, hitsMax, this.#ctx.clock.monotonicMs())
    if (hit.isFull) throw new PortalLimitError(limit, hit, hit.resetSeconds)
    return rateHeaders(hit)
  }

  /** Refuses a write whose window is known to be full, before anything is read from the store. */
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

  /** The seconds are rounded up, so the window may have room in the last one. */
  #rememberFull(bucket: string, retryAfterSeconds: number): void {
    const fullMs = (retryAfterSeconds - 1) * 1000
    if (fullMs <= 0) return
    this.#fullUntilMs.set(bucket, this.#ctx.clock.monotonicMs() + fullMs)
  }
}

/**
 * Counts one suggestion for the address and then for the portal. It is part of the transaction of
 * the suggestion, so that one which is refused afterwards does not count.
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

/**
 * A portal with a higher limit of votes has a window of its own, so other portals keep their limit.
 */
function sharedWindow(limit: PortalLimit, address: string, portal: PortalProject | undefined) {
  const { hitsMax } = portalLimits[limit]
  const raised = limit === 'vote' ? (portal?.settings.votesPerMinuteMax ?? hitsMax) : hitsMax
  if (raised <= hitsMax) return { bucket: `portal:${limit}:${address}`, hitsMax, windowMs }
  const bucket = `portal:${limit}:${portal?.projectId}:${address}`
  return { bucket, hitsMax: raised, windowMs }
}

/** Names the limit, because people behind a shared address cannot know which one they met. */
export class PortalLimitError extends CodedError {
  readonly headers: Readonly<Record<string, string>>

  constructor(
    limit: PortalLimit | 'suggest_hour' | 'suggest_portal',
    state: WindowState,
    retryAfterSeconds: number,
  ) {
    super('rate_limited', refusalOf(limit, state.hitsMax))
    this.headers = rateHeaders(state, retryAfterSeconds)
  }
}

function refusalOf(limit: PortalLimit | 'suggest_hour' | 'suggest_portal', hitsMax: number) {
  switch (limit) {
    case 'suggest_hour':
      return {
        message: `Too many requests: at most ${hitsMax} suggestions an hour from one client address.`,
        details: [{ field: limit, rule: `at most ${hitsMax} an hour from one client address` }],
      }
    case 'suggest_portal':
      return {
        message: `Too many requests: this portal takes at most ${hitsMax} suggestions an hour.`,
        details: [{ field: limit, rule: `at most ${hitsMax} an hour for the portal` }],
      }
    default:
      return {
        message: `Too many requests: at most ${hitsMax} ${portalLimits[limit].what} a minute from one client address.`,
        details: [{ field: limit, rule: `at most ${hitsMax} a minute from one client address` }],
      }
  }
}
