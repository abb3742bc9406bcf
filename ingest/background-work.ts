/**
 * The background work of an ingest process: timers of the hot path, and periodic tasks that query
 * Postgres.
 */
import { systemClock } from '#platform/clock.ts'
import type { PeriodicTaskOptions } from '#platform/periodic.ts'
import type { DsnKeyNo } from '#schemas/ids.ts'
import type { IngestContext } from './context.ts'

const sweepEveryMs = 50
/** Records wait for the frame before theirs to be acknowledged, but never longer than this. */
const sealEveryMs = 500
const quotaTickEveryMs = 100
const keyUsageEveryMs = 5_000

/**
 * Starts timers that only touch memory, so they need neither error handling nor a guard against
 * overlap. Returns a function that stops them.
 */
export function startHotTimers(ctx: IngestContext): () => void {
  const timers = [
    setInterval(() => {
      ctx.courier.sweep()
      ctx.batcher.sweep()
      ctx.load.sweep()
      ctx.walKeeper?.tick()
    }, sweepEveryMs),
    setInterval(() => {
      ctx.quota.tick()
      ctx.releasedIds.tick()
    }, quotaTickEveryMs),
    setInterval(() => ctx.batcher.flush(), sealEveryMs),
  ]
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

export interface KeyUsageStore {
  markUsed(used: readonly DsnKeyNo[]): Promise<void>
}

export function keyUsageTask(ctx: IngestContext, store: KeyUsageStore): PeriodicTaskOptions {
  return {
    name: 'key_usage',
    intervalMs: keyUsageEveryMs,
    run: async () => {
      const used = ctx.keyUsage.take(systemClock.monotonicMs())
      try {
        await store.markUsed(used)
      } catch (error) {
        ctx.keyUsage.putBack(used)
        throw error
      }
    },
    failure: {
      code: 'key_usage_not_written',
      text: 'Writing when DSN keys were last used failed',
      level: 'debug',
    },
  }
}
