/**
 * Exact sliding windows in memory: at most N hits of a key in any span of the window's length. The
 * number of keys is bounded: the least recently used key is evicted. Evictions of keys that still
 * hold hits are counted, because an attacker could send many keys to evict their own.
 */
import { RecentMap } from '#platform/recent-map.ts'
import type { WindowState } from './rate-window-store.ts'

export interface WindowHit extends WindowState {
  readonly isFull: boolean
}

export class SlidingWindow {
  readonly #windowMs: number
  /** The times of the hits, oldest first; the keys ordered by their last hit. */
  readonly #hits: RecentMap<string, number[]>
  #evictedCount = 0

  constructor({ windowMs, keysMax }: { windowMs: number; keysMax: number }) {
    this.#windowMs = windowMs
    this.#hits = new RecentMap(keysMax)
  }

  /** Keys that were evicted while they still held hits. */
  get evictedCount(): number {
    return this.#evictedCount
  }

  /**
   * Takes a hit if there is room. A refused hit does not count, so waiting `resetSeconds` suffices.
   */
  hit(key: string, hitsMax: number, nowMs: number): WindowHit {
    const times = this.#timesOf(key, nowMs)
    const isFull = hitsMax <= times.length
    if (!isFull) times.push(nowMs)
    const lastMs = this.#hits.set(key, times)?.at(-1)
    if (lastMs !== undefined && nowMs < lastMs + this.#windowMs) this.#evictedCount += 1
    const leavesMs = (times[Math.max(0, times.length - hitsMax)] ?? nowMs) + this.#windowMs
    return {
      bucket: key,
      hitsMax,
      windowMs: this.#windowMs,
      isFull,
      remaining: Math.max(0, hitsMax - times.length),
      resetSeconds: Math.max(1, Math.ceil((leavesMs - nowMs) / 1000)),
    }
  }

  #timesOf(key: string, nowMs: number): number[] {
    const times = this.#hits.get(key) ?? []
    let expired = 0
    while (expired < times.length && times[expired]! + this.#windowMs <= nowMs) expired += 1
    if (0 < expired) times.splice(0, expired)
    return times
  }
}
