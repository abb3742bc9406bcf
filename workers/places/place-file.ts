/**
 * The operator's GeoIP file, in memory that all threads of the process share. It is looked at again
 * from time to time, because its makers publish a new one every week. A file that is missing or
 * damaged then leaves the one that was read before in use.
 */
import { type Stats, statSync } from 'node:fs'
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { PeriodicTaskOptions } from '#platform/periodic.ts'
import { readPlaceFile } from './read-place-file.ts'

/** What a thread gets with each task; copying it copies no byte of the file. */
export interface SharedPlaces {
  /** Another one for each file that was read. */
  readonly version: number
  readonly file: Uint8Array<SharedArrayBuffer>
}

/** A file that was written a moment ago may still be written. */
const settledMs = 2_000
const intervalMs = 60_000

export class PlaceFile {
  readonly #path: string
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #log: Pick<Logger, 'info' | 'warn'>
  #places: SharedPlaces
  /** What the file looked like when it was last read, also when it could not be used. */
  #seen: string

  /** @throws Error that names the file and what is wrong with it. */
  constructor(
    path: string,
    { clock, log }: { clock: Pick<Clock, 'nowMs'>; log: Pick<Logger, 'info' | 'warn'> },
  ) {
    this.#path = path
    this.#clock = clock
    this.#log = log
    this.#seen = lookOf(statOf(path))
    this.#places = { version: 1, file: readPlaceFile(path) }
  }

  get places(): SharedPlaces {
    return this.#places
  }

  readonly task: PeriodicTaskOptions = {
    name: 'geoip_file',
    intervalMs,
    run: () => this.refresh(),
    failure: { code: 'geoip_unusable', text: 'Looking at the GeoIP file failed' },
  }

  /** Reads the file if it was replaced or changed, and says once what is wrong with it. */
  refresh(): void {
    const stats = statOf(this.#path)
    const look = lookOf(stats)
    if (look === this.#seen) return
    if (stats !== undefined && Math.abs(this.#clock.nowMs() - stats.mtimeMs) < settledMs) return
    this.#seen = look
    try {
      const file = readPlaceFile(this.#path)
      this.#places = { version: this.#places.version + 1, file }
      this.#log.info({ code: 'geoip_read', path: this.#path }, 'Read the changed GeoIP file.')
    } catch (error) {
      const message = 'The changed GeoIP file cannot be used; the one read before stays in use.'
      this.#log.warn({ code: 'geoip_unusable', err: error }, message)
    }
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

function lookOf(stats: Stats | undefined): string {
  return stats === undefined ? 'missing' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`
}
