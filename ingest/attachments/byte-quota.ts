/**
 * The bytes that a project may store on a day. They are taken from Postgres in blocks, so that few
 * attachments cost a query, and events without attachments never do. What is left of a block when
 * the process ends without giving it back is lost for that day.
 */
import type { Clock } from '#platform/clock.ts'
import { dayOf } from '#platform/objects/attachment-key.ts'
import { RecentMap } from '#platform/recent-map.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { MiB } from '#schemas/limits.ts'
import type { DsnKey } from '../keys/key-cache.ts'

export interface ByteLeaseRequest {
  readonly projectId: ProjectId
  /** `2026-11-23` */
  readonly day: string
  readonly bytesMax: number
  readonly needed: number
  readonly wanted: number
}

export interface ByteQuotaStore {
  /** Bytes between `needed` and `wanted`; 0 when `needed` do not remain. */
  lease(request: ByteLeaseRequest): Promise<number>
  giveBack(projectId: ProjectId, day: string, bytes: number): Promise<void>
}

export type ByteCharge = 'charged' | 'over_quota' | 'unavailable'

/** Of a large limit; a small one is taken in sixteenths, so that several processes get a share. */
const blockBytesMax = 32 * MiB
const blocksPerDayMin = 16
const projectsMax = 10_000
/** So soon does a raised limit take effect. */
const refusedMs = 10_000
/** Postgres is not asked again for this long after it did not answer. */
const awayMs = 2_000

interface Day {
  readonly day: string
  left: number
  /** A request of this size or more was refused until `refusedUntilMs`. */
  refusedBytes: number
  refusedUntilMs: number
  /** Questions to Postgres, one after the other. */
  asking: Promise<void>
}

export class ByteQuota {
  readonly #store: ByteQuotaStore
  readonly #clock: Clock
  readonly #days = new RecentMap<ProjectId, Day>(projectsMax)
  /** The days with bytes that are left, for `drain`. */
  readonly #open = new Map<ProjectId, Day>()
  #awayUntilMs = 0

  constructor(store: ByteQuotaStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async charge(
    { projectId, attachments }: Pick<DsnKey, 'projectId' | 'attachments'>,
    bytes: number,
  ): Promise<ByteCharge> {
    if (attachments === undefined) return 'over_quota'
    const state = this.#dayOf(projectId)
    const answer = state.asking.then(() => this.#take(projectId, state, bytes, attachments))
    state.asking = answer.then(
      () => undefined,
      () => undefined,
    )
    return answer
  }

  /** Returns what is left, so that other processes may use it today. */
  async drain(): Promise<void> {
    const today = dayOf(this.#clock.nowMs())
    const open = [...this.#open].filter(([, { day, left }]) => day === today && left > 0)
    this.#open.clear()
    await Promise.allSettled(
      open.map(([projectId, { day, left }]) => this.#store.giveBack(projectId, day, left)),
    )
  }

  #dayOf(projectId: ProjectId): Day {
    const day = dayOf(this.#clock.nowMs())
    const known = this.#days.get(projectId)
    if (known?.day === day) return known
    const asking = Promise.resolve()
    const state = { day, left: 0, refusedBytes: 0, refusedUntilMs: 0, asking }
    this.#days.set(projectId, state)
    this.#open.delete(projectId)
    return state
  }

  async #take(
    projectId: ProjectId,
    state: Day,
    bytes: number,
    { bytesPerDayMax }: { readonly bytesPerDayMax: number },
  ): Promise<ByteCharge> {
    if (bytes <= state.left) {
      state.left -= bytes
      return 'charged'
    }
    const nowMs = this.#clock.monotonicMs()
    if (state.refusedBytes <= bytes && nowMs < state.refusedUntilMs) return 'over_quota'
    if (nowMs < this.#awayUntilMs) return 'unavailable'
    const needed = bytes - state.left
    const block = Math.min(blockBytesMax, Math.ceil(bytesPerDayMax / blocksPerDayMin))
    let granted: number
    try {
      granted = await this.#store.lease({
        projectId,
        day: state.day,
        bytesMax: bytesPerDayMax,
        needed,
        wanted: Math.max(needed, block),
      })
    } catch {
      this.#awayUntilMs = this.#clock.monotonicMs() + awayMs
      return 'unavailable'
    }
    if (granted < needed) {
      state.refusedBytes = bytes
      state.refusedUntilMs = nowMs + refusedMs
      return 'over_quota'
    }
    state.left += granted - bytes
    if (this.#open.size < projectsMax) this.#open.set(projectId, state)
    return 'charged'
  }
}
