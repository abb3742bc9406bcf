/**
 * Writes JSON Lines as fast as the client takes them, and cuts off a client that is too slow,
 * because an export holds what others wait for, such as a snapshot of Postgres.
 */
import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { systemClock } from '#platform/clock.ts'
import { KiB } from '#schemas/limits.ts'

export interface Pace {
  /** A client that takes nothing for this long is cut off. */
  readonly idleMsMax: number
  /** So does one that takes less than this on average, over the time in which it is waited for. */
  readonly bytesPerSecondMin: number
}

const usualPace: Pace = { idleMsMax: 60_000, bytesPerSecondMin: 256 * KiB }

export type WriteLine = (line: object) => Promise<void>

/**
 * Begins to write at once. Destroying the stream ends the export. An error before anybody reads is
 * kept for the reader.
 */
export function exportStream(
  writeAll: (write: WriteLine) => Promise<void>,
  pace: Pace = usualPace,
): Readable {
  const out = new PassThrough()
  out.on('error', () => undefined)
  void writeAll(writerTo(out, pace)).then(
    () => out.end(),
    (error: Error) => out.destroy(error),
  )
  return out
}

/** Waits while the client is slower, and throws when it has gone or is too slow. */
function writerTo(out: PassThrough, { idleMsMax, bytesPerSecondMin }: Pace): WriteLine {
  const gone = new AbortController()
  out.once('close', () => gone.abort())
  let bytes = 0
  let waitedMs = 0
  return async (line) => {
    gone.signal.throwIfAborted()
    const text = Buffer.from(`${JSON.stringify(line)}\n`)
    bytes += text.length
    if (out.write(text)) return
    const leftMs = idleMsMax + (bytes / bytesPerSecondMin) * 1_000 - waitedMs
    const timeoutMs = Math.max(0, Math.round(Math.min(idleMsMax, leftMs)))
    const since = systemClock.monotonicMs()
    await once(out, 'drain', {
      signal: AbortSignal.any([gone.signal, AbortSignal.timeout(timeoutMs)]),
    })
    waitedMs += systemClock.monotonicMs() - since
  }
}
