/**
 * A map of bounded size that forgets first what was set longest ago. Finding that takes one step: an iterator that is begun anew has to
 * step over the places of all that was deleted at the front, which is most of a large map that is always full.
 */
import assert from 'node:assert'

export class RecentMap<Key, Value> {
  readonly #sizeMax: number
  readonly #map = new Map<Key, Value>()
  /** Begun once: all that it has passed are gone. */
  readonly #oldestFirst = this.#map.entries()

  constructor(sizeMax: number) {
    assert(0 < sizeMax)
    this.#sizeMax = sizeMax
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key)
  }

  /** The key is the most recent one now. Returns what had to go for it. */
  set(key: Key, value: Value): Value | undefined {
    this.#map.delete(key)
    this.#map.set(key, value)
    if (this.#map.size <= this.#sizeMax) return undefined
    const [oldest, forgotten] = this.#oldestFirst.next().value!
    this.#map.delete(oldest)
    return forgotten
  }

  delete(key: Key): void {
    this.#map.delete(key)
  }
}
