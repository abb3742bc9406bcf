/**
 * Five failures of an address or of a network in fifteen minutes, then nobody gets to try. A try is counted before the password is
 * looked at, so that a thousand at once are no way around it, and given back when it was right.
 */
import type { ApiContext } from '../context.ts'
import type { Database } from '../io/database.ts'
import { type RateWindow, takeHits } from '../io/rate-window-store.ts'

const failuresMax = 5
const windowMs = 15 * 60_000

export type LoginAttempt =
  | { readonly kind: 'counted'; readonly windows: readonly RateWindow[] }
  | { readonly kind: 'too_many'; readonly retryAfterSeconds: number }

export async function countAttempt(
  who: { readonly email: string; readonly network: string },
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
): Promise<LoginAttempt> {
  const windows = [
    { bucket: `login:address:${who.email}`, hitsMax: failuresMax, windowMs },
    { bucket: `login:network:${who.network}`, hitsMax: failuresMax, windowMs },
  ]
  const taken = await ctx.pg.transaction((client) =>
    takeHits(client, windows, new Date(ctx.clock.nowMs())),
  )
  return taken.kind === 'full'
    ? { kind: 'too_many', retryAfterSeconds: taken.retryAfterSeconds }
    : { kind: 'counted', windows }
}

/**
 * The address starts afresh. The network only gets this one try back: else one account of one's own would be enough to guess at all
 * others from there.
 */
export async function forgiveAttempt(
  pg: Database,
  attempt: { readonly windows: readonly RateWindow[] },
): Promise<void> {
  const [address, network] = attempt.windows
  await pg.query('delete from rate_windows where bucket = $1', [address?.bucket])
  await pg.query(
    'update rate_windows set hits = trim_array(hits, 1) where bucket = $1 and cardinality(hits) > 0',
    [network?.bucket],
  )
}
