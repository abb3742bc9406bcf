/** What a draining ingest process waits for before it closes its connections. */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { IngestContext } from './context.ts'

const lookEveryMs = 20

/**
 * Every open connection has received its last reply, which closes it, or was idle until the server
 * closed it; or the time is up.
 */
export async function allDisconnected(
  server: { readonly connectionCount: number },
  timeoutMs: number,
): Promise<void> {
  const deadlineMs = systemClock.monotonicMs() + timeoutMs
  while (server.connectionCount > 0 && systemClock.monotonicMs() < deadlineMs) {
    await sleep(lookEveryMs)
  }
}

/** All requests are answered and all frames acknowledged, or the time is up. */
export async function allAnswered(
  { batcher, load, courier }: Pick<IngestContext, 'batcher' | 'load' | 'courier'>,
  timeoutMs: number,
  log: Logger,
): Promise<void> {
  const deadlineMs = systemClock.monotonicMs() + timeoutMs
  while (systemClock.monotonicMs() < deadlineMs) {
    batcher.flush()
    if (load.requestCount === 0 && courier.unpassedCount === 0) return
    await sleep(lookEveryMs)
  }
  log.warn(
    { code: 'drain_cut', requests: load.requestCount, frames: courier.frameCount },
    `Requests or frames were not finished within ${timeoutMs / 1000} s and are abandoned.`,
  )
}
