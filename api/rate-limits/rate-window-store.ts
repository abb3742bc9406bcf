/**
 * Rate limits. There are four kinds:
 *
 * - This file, exact sliding windows in Postgres: limits on work that has an effect outside of this
 *   process (emails, sign-ups, votes). They hold over all processes and restarts. A hit is taken in
 *   the transaction that does the work, so failed work takes none, and work that cannot be counted
 *   is not done.
 * - sliding-window.ts, exact sliding windows in memory: up to some hundred requests per minute of
 *   one credential or client address, where a query per request would cost more than the request.
 *   They hold per process. `countRequest` sets the headers.
 * - @fastify/rate-limit, fixed windows in memory: the public pages behind links of emails, which
 *   take 6,000 requests per minute of one address. It keeps one counter per address; a sliding
 *   window would keep the time of every hit.
 * - logins/login-attempts.ts, in Postgres: wrong passwords, after which delays double.
 */
import assert from 'node:assert'
import type { Database } from '../database.ts'

export interface RateWindow {
  readonly bucket: string
  readonly hitsMax: number
  readonly windowMs: number
}

export interface WindowState extends RateWindow {
  readonly remaining: number
  /** Seconds until a full window has room for a hit; else until its oldest hit expires. */
  readonly resetSeconds: number
}

export type TakenHits =
  | { readonly kind: 'taken'; readonly windows: WindowState[] }
  | { readonly kind: 'full'; readonly window: WindowState; readonly retryAfterSeconds: number }

interface HitRow {
  readonly bucket: string
  readonly room: boolean
  readonly hit_count: number
  /** Null when the window is empty, because another window was full. */
  readonly leaves_at: Date | null
}

/**
 * Takes one hit in every window, or in none. The result lists the windows in the given order, or
 * the full window that takes the longest to have room again.
 */
export async function takeHits(
  pg: Database,
  windows: readonly RateWindow[],
  now: Date,
): Promise<TakenHits> {
  const sorted = [...windows].sort((a, b) => (a.bucket < b.bucket ? -1 : 1))
  assert(new Set(sorted.map(({ bucket }) => bucket)).size === windows.length)
  const { rows } = await pg.query<HitRow>(
    `select * from take_hits($1::text[], $2::int[],
       array(select make_interval(secs => ms / 1000.0) from unnest($3::bigint[]) with ordinality l(ms, no) order by no), $4)`,
    [
      sorted.map(({ bucket }) => bucket),
      sorted.map(({ hitsMax }) => hitsMax),
      sorted.map(({ windowMs }) => windowMs),
      now,
    ],
  )
  const rowOf = new Map(rows.map((row) => [row.bucket, row]))
  const states = windows.map((window) => {
    const row = rowOf.get(window.bucket)
    assert(row !== undefined)
    return { full: !row.room, state: stateOf(window, row, now) }
  })
  const [longest] = states
    .filter(({ full }) => full)
    .sort((a, b) => b.state.resetSeconds - a.state.resetSeconds)
  if (longest === undefined) return { kind: 'taken', windows: states.map(({ state }) => state) }
  const { state } = longest
  return { kind: 'full', window: state, retryAfterSeconds: state.resetSeconds }
}

/** The state of a window, for replies to requests that took no hit. */
export async function peekWindow(
  pg: Database,
  window: RateWindow,
  now: Date,
): Promise<WindowState> {
  const { rows } = await pg.query<{ hit_count: number; oldest: Date | null }>(
    `select count(hit)::int as hit_count, min(hit) as oldest
     from rate_windows, unnest(hits) hit where bucket = $1 and $2 < hit`,
    [window.bucket, new Date(now.getTime() - window.windowMs)],
  )
  const { hit_count, oldest } = rows[0]!
  const leaves_at = new Date((oldest ?? now).getTime() + window.windowMs)
  return stateOf(window, { bucket: window.bucket, room: true, hit_count, leaves_at }, now)
}

/** The headers of every reply of a rate-limited route, with `Retry-After` when it was refused. */
export function rateHeaders(
  state: WindowState,
  retryAfterSeconds?: number,
): Record<string, string> {
  return {
    'RateLimit-Limit': String(state.hitsMax),
    'RateLimit-Remaining': String(state.remaining),
    'RateLimit-Reset': String(state.resetSeconds),
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
  }
}

function stateOf(window: RateWindow, row: HitRow, now: Date): WindowState {
  const untilMs = (row.leaves_at ?? now).getTime() - now.getTime()
  return {
    ...window,
    remaining: Math.max(0, window.hitsMax - row.hit_count),
    resetSeconds: Math.max(1, Math.ceil(untilMs / 1000)),
  }
}
