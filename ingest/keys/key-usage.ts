/**
 * Collects used keys, so that `last_used_at` is written in batches and at most once a minute per
 * key.
 */
import type { DsnKeyNo } from '#schemas/ids.ts'

const writeEveryMs = 60_000
const keysMax = 50_000

export class KeyUsage {
  readonly #writtenAtMs = new Map<DsnKeyNo, number>()
  #used = new Set<DsnKeyNo>()

  touch(keyNo: DsnKeyNo): void {
    this.#used.add(keyNo)
  }

  /** The keys to write now. Keys that were written less than a minute ago stay for a later call. */
  take(nowMs: number): DsnKeyNo[] {
    const due: DsnKeyNo[] = []
    const later = new Set<DsnKeyNo>()
    if (this.#writtenAtMs.size > keysMax) this.#writtenAtMs.clear()
    for (const keyNo of this.#used) {
      const writtenAtMs = this.#writtenAtMs.get(keyNo)
      if (writtenAtMs !== undefined && nowMs < writtenAtMs + writeEveryMs) {
        later.add(keyNo)
        continue
      }
      this.#writtenAtMs.set(keyNo, nowMs)
      due.push(keyNo)
    }
    this.#used = later
    return due
  }

  /** Marks keys as due again after their write has failed. */
  putBack(keyNos: readonly DsnKeyNo[]): void {
    for (const keyNo of keyNos) {
      this.#writtenAtMs.delete(keyNo)
      this.#used.add(keyNo)
    }
  }
}
