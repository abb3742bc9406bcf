/**
 * HalfSipHash (Aumasson and Bernstein): a keyed hash of 32-bit words for short inputs, whose results
 * nobody can predict or aim at without the key. With 2 and 4 rounds it is HalfSipHash-2-4, and
 * half-sip-hash.test.ts checks the published vectors. The paper defines results of one and of two
 * words; a third word is made as the second one is.
 */
export interface HalfSipHashOptions {
  /** 8 bytes. */
  readonly key: Buffer
  readonly roundsPerWord: number
  readonly roundsPerResult: number
  readonly resultWords: 1 | 2 | 3
}

export class HalfSipHash {
  /** The words of the latest result, unsigned. Words beyond `resultWords` stay 0. */
  a = 0
  b = 0
  c = 0
  readonly #k0: number
  readonly #k1: number
  readonly #roundsPerWord: number
  readonly #roundsPerResult: number
  readonly #resultWords: number

  constructor({ key, roundsPerWord, roundsPerResult, resultWords }: HalfSipHashOptions) {
    this.#k0 = key.readInt32LE(0)
    this.#k1 = key.readInt32LE(4)
    this.#roundsPerWord = roundsPerWord
    this.#roundsPerResult = roundsPerResult
    this.#resultWords = resultWords
  }

  /**
   * Hashes a message given as little-endian words. The last word holds the bytes that fill no whole
   * word, and the length of the message in bytes, modulo 256, in its highest byte.
   */
  hash(words: Int32Array): void {
    const wordCount = words.length
    const isLong = this.#resultWords > 1
    let v0 = this.#k0
    let v1 = this.#k1 ^ (isLong ? 0xee : 0)
    let v2 = this.#k0 ^ 0x6c796765
    let v3 = this.#k1 ^ 0x74656462
    for (let step = 0; step < wordCount + this.#resultWords; step += 1) {
      const isWord = step < wordCount
      const word = isWord ? words[step]! : 0
      v3 ^= word
      if (step === wordCount) v2 ^= isLong ? 0xee : 0xff
      else if (!isWord) v1 ^= 0xdd
      for (
        let round = isWord ? this.#roundsPerWord : this.#roundsPerResult;
        round > 0;
        round -= 1
      ) {
        v0 = (v0 + v1) | 0
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
        v0 = (v0 << 16) | (v0 >>> 16)
        v2 = (v2 + v3) | 0
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
        v0 = (v0 + v3) | 0
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
        v2 = (v2 + v1) | 0
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
        v2 = (v2 << 16) | (v2 >>> 16)
      }
      v0 ^= word
      if (step === wordCount) this.a = (v1 ^ v3) >>> 0
      else if (step === wordCount + 1) this.b = (v1 ^ v3) >>> 0
      else if (step === wordCount + 2) this.c = (v1 ^ v3) >>> 0
    }
  }
}
