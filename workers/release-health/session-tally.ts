/**
 * Collects the sessions of a range: rows for updates, sums by release and hour, and the releases
 * seen.
 */
import type { ProjectId } from '#schemas/ids.ts'
import type { StoredText } from '#schemas/stored-text.ts'
import { RowBinaryWriter } from '../rows/row-binary.ts'
import type { SessionPlace, SessionSum, SessionUpdate } from './parse-sessions.ts'
import { writeSessionRow } from './session-row.ts'

/** A release and the range of hours, in seconds since 1970, in which its sessions started. */
export interface SessionRelease {
  readonly projectId: ProjectId
  readonly version: StoredText
  readonly firstSecond: number
  readonly lastSecond: number
}

const bytesInitial = 1024

export class SessionTally {
  /** Created for the first session, because most ranges have none. */
  #rows: RowBinaryWriter | undefined
  readonly #sums = new Map<string, SessionSum>()
  readonly #releases = new Map<string, SessionRelease>()

  addUpdate(update: SessionUpdate, retentionDays: number): void {
    this.#rows ??= new RowBinaryWriter(bytesInitial)
    writeSessionRow(this.#rows, update, retentionDays)
    if (update.counts) this.#hear(update)
  }

  addSum(sum: SessionSum): void {
    const { projectId, release, environment, hourSecond } = sum
    const name = JSON.stringify([projectId, hourSecond, release, environment])
    const before = this.#sums.get(name)
    this.#sums.set(name, before === undefined ? sum : added(before, sum))
    this.#hear(sum)
  }

  rows(): Uint8Array<ArrayBuffer> {
    return this.#rows?.finish() ?? new Uint8Array()
  }

  sums(): SessionSum[] {
    return [...this.#sums.values()]
  }

  releases(): SessionRelease[] {
    return [...this.#releases.values()]
  }

  #hear({ projectId, release, hourSecond }: SessionPlace): void {
    const name = `${projectId} ${release}`
    const { firstSecond = hourSecond, lastSecond = hourSecond } = this.#releases.get(name) ?? {}
    this.#releases.set(name, {
      projectId,
      version: release,
      firstSecond: Math.min(firstSecond, hourSecond),
      lastSecond: Math.max(lastSecond, hourSecond),
    })
  }
}

function added(a: SessionSum, b: SessionSum): SessionSum {
  return {
    ...a,
    exited: a.exited + b.exited,
    errored: a.errored + b.errored,
    unhandled: a.unhandled + b.unhandled,
    abnormal: a.abnormal + b.abnormal,
    crashed: a.crashed + b.crashed,
  }
}
