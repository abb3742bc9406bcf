/**
 * Waits, while an ingest process drains, for the requests that must end before its connections are
 * closed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { IngestContext } from './context.ts'

const lookEveryMs = 20

/**
 * Resolves when every open connection has received its last reply, which closes it, or was idle
 * until the server closed it; or when the time is up.
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

/** Resolves when all requests are answered and all frames acknowledged, or when the time is up. */
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
    `Requests or frames were not finished within ${timeoutMs / 1000} s and were abandoned.`,
  )
}
