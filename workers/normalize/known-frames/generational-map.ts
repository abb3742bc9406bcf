/**
 * Values by text, bounded by bytes in two generations: when the recent one is full, the older one
 * is forgotten. A value that is used moves to the recent one.
 */
export class GenerationalMap<Value extends {}> {
  #recent = new Map<string, Value>()
  #older = new Map<string, Value>()
  #recentBytes = 0
  readonly #generationBytesMax: number
  readonly #bytesOf: (key: string) => number
  readonly #forget: ((value: Value) => void) | undefined

  /** @param forget is called with each value that leaves the map. */
  constructor(options: {
    readonly generationBytesMax: number
    readonly bytesOf: (key: string) => number
    readonly forget?: (value: Value) => void
  }) {
    this.#generationBytesMax = options.generationBytesMax
    this.#bytesOf = options.bytesOf
    this.#forget = options.forget
  }

  get(key: string): Value | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const value = this.#older.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: string, value: Value): void {
    this.#recentBytes += this.#bytesOf(key)
    if (this.#recentBytes > this.#generationBytesMax) {
      for (const [forgotten, old] of this.#older)
        if (!this.#recent.has(forgotten)) this.#forget?.(old)
      this.#older = this.#recent
      this.#recent = new Map()
      this.#recentBytes = 0
    }
    this.#recent.set(key, value)
  }
}
