/**
 * The random numbers of a simulated world. A seed repeats a run. Streams are named, so that one
 * more draw in the fault schedule does not change the ids that clients create.
 */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number, stream: string) {
    this.#a = seed | 0
    this.#b = hashText(stream)
    this.#c = 0x9e37_79b9
    for (let round = 0; round < 12; round += 1) this.#word()
  }

  /** At least 0 and less than 1. */
  share(): number {
    return this.#word() / 0x1_0000_0000
  }

  /** A whole number from 0 to `end - 1`. */
  below(end: number): number {
    return Math.floor(this.share() * end)
  }

  /** A whole number, both ends included. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1)
  }

  /** Any number between the two. */
  spread(from: number, to: number): number {
    return from + this.share() * (to - from)
  }

  chance(share: number): boolean {
    return this.share() < share
  }

  pick<T>(list: readonly T[]): T {
    const one = list[this.below(list.length)]
    if (one === undefined) throw new Error('there is nothing to pick from')
    return one
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits) text += this.#word().toString(16).padStart(8, '0')
    return text.slice(0, digits)
  }

  bytes(length: number): Buffer {
    return Buffer.from(this.hex(length * 2), 'hex')
  }

  /** sfc32, which passes the usual statistical tests and is cheap. */
  #word(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    this.#c |= 0
    return sum >>> 0
  }
}

function hashText(text: string): number {
  let hash = 0x811c_9dc5
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193)
  }
  return hash | 0
}
