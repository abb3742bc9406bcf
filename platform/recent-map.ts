/**
 * A map of bounded size that evicts the entry set longest ago, in constant time. It keeps one
 * iterator, because a new one would first have to skip the deleted entries of a large full map.
 */
import assert from 'node:assert'

export class RecentMap<Key, Value> {
  readonly #sizeMax: number
  readonly #map = new Map<Key, Value>()
  /** Created once; all entries it has passed are deleted. */
  readonly #oldestFirst = this.#map.entries()

  constructor(sizeMax: number) {
    assert(0 < sizeMax)
    this.#sizeMax = sizeMax
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key)
  }

  /** Makes the key the most recent one. Returns the evicted value, if any. */
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
