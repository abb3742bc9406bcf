/**
 * A small open-addressing table of an `IdWindow`: 16 bytes per slot for three fingerprint words and
 * the second. A pair whose second is below the window's floor is expired: lookups skip it, the next
 * pair that passes takes its slot, and a rebuild of the segment removes it.
 */
const slotWords = 4
const slotsMin = 16
/** Share of taken slots, expired pairs included, at which the segment is rebuilt. */
const loadMax = 0.8
/** Slots per held pair after a rebuild. */
const slotsPerId = 1.7

export class IdSegment {
  #slots = new Uint32Array(slotsMin * slotWords)
  #slotCount = slotsMin
  #taken = 0

  get byteLength(): number {
    return this.#slots.byteLength
  }

  /** Whether the fingerprint is held with a second from `first` to `last`. */
  has(a: number, b: number, c: number, first: number, last: number): boolean {
    const slots = this.#slots
    const end = slots.length
    let at = this.#home(b)
    while (true) {
      const second = slots[at + 3]!
      if (second === 0) return false
      if (slots[at + 1] === b && slots[at] === a && slots[at + 2] === c) {
        if (first <= second && second <= last) return true
      }
      at += slotWords
      if (at === end) at = 0
    }
  }

  /** Returns false when the same pair is already held. */
  add(a: number, b: number, c: number, second: number, floor: number): boolean {
    if (this.#taken >= this.#slotCount * loadMax) this.#rebuild(floor)
    const slots = this.#slots
    const end = slots.length
    let at = this.#home(b)
    let dead = -1
    while (true) {
      const held = slots[at + 3]!
      if (held === 0) break
      if (held < floor) {
        if (dead < 0) dead = at
      } else if (held === second && slots[at + 1] === b && slots[at] === a && slots[at + 2] === c) {
        return false
      }
      at += slotWords
      if (at === end) at = 0
    }
    if (dead < 0) this.#taken += 1
    else at = dead
    slots[at] = a
    slots[at + 1] = b
    slots[at + 2] = c
    slots[at + 3] = second
    return true
  }

  #home(b: number): number {
    return Math.floor((b * this.#slotCount) / 0x1_0000_0000) * slotWords
  }

  #rebuild(floor: number): void {
    const before = this.#slots
    let living = 0
    for (let at = 3; at < before.length; at += slotWords) {
      if (before[at]! !== 0 && before[at]! >= floor) living += 1
    }
    this.#slotCount = Math.max(slotsMin, Math.ceil(living * slotsPerId))
    this.#slots = new Uint32Array(this.#slotCount * slotWords)
    this.#taken = living
    const slots = this.#slots
    for (let from = 0; from < before.length; from += slotWords) {
      const second = before[from + 3]!
      if (second === 0 || second < floor) continue
      let at = this.#home(before[from + 1]!)
      while (slots[at + 3] !== 0) {
        at += slotWords
        if (at === slots.length) at = 0
      }
      slots[at] = before[from]!
      slots[at + 1] = before[from + 1]!
      slots[at + 2] = before[from + 2]!
      slots[at + 3] = second
    }
  }
}
