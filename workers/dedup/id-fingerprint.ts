/**
 * A record id as 96 bits that nobody can aim at: HalfSipHash (Aumasson and Bernstein) with one round a word and
 * three rounds a result, over the project and the 16 bytes of the id, keyed with a secret of the process. Two ids of
 * a partition meet by chance once in 2^96 pairs, so equal fingerprints are taken for equal ids.
 */
import { randomBytes } from 'node:crypto'
import type { ProjectId } from '#schemas/ids.ts'

/** Four words of 32 bits. */
export type FingerprintSecret = readonly [number, number, number, number]

/** Fingerprints never leave the process, so its secret is its own. */
export const processSecret: FingerprintSecret = newSecret()

export class Fingerprinter {
  /** The three words of the latest fingerprint. */
  a = 0
  b = 0
  c = 0
  readonly #secret: FingerprintSecret
  readonly #words = new Int32Array(6)

  constructor(secret: FingerprintSecret) {
    this.#secret = secret
  }

  /** The id as it stands in a frame. */
  ofBytes(projectId: ProjectId, bytes: Buffer, start: number): void {
    this.ofWords(
      projectId,
      bytes.readInt32BE(start),
      bytes.readInt32BE(start + 4),
      bytes.readInt32BE(start + 8),
      bytes.readInt32BE(start + 12),
    )
  }

  /** The id as four big endian words. */
  ofWords(projectId: ProjectId, w0: number, w1: number, w2: number, w3: number): void {
    const words = this.#words
    words[0] = projectId
    words[1] = Math.floor(projectId / 0x1_0000_0000)
    words[2] = w0
    words[3] = w1
    words[4] = w2
    words[5] = w3
    let [v0, v1, v2, v3] = this.#secret
    // Six words, then three results of three rounds each, told apart by what is mixed in before.
    for (let round = 0; round < 15; round += 1) {
      const word = round < 6 ? words[round]! : 0
      v3 ^= word
      if (round === 6) v2 ^= 0xee
      else if (round === 9) v1 ^= 0xdd
      else if (round === 12) v3 ^= 0xbb
      v0 = (v0 + v1) | 0
      v1 = (v1 << 5) | (v1 >>> 27)
      v1 ^= v0
      v0 = (v0 << 16) | (v0 >>> 16)
      v2 = (v2 + v3) | 0
      v3 = (v3 << 8) | (v3 >>> 24)
      v3 ^= v2
      v0 = (v0 + v3) | 0
      v3 = (v3 << 7) | (v3 >>> 25)
      v3 ^= v0
      v2 = (v2 + v1) | 0
      v1 = (v1 << 13) | (v1 >>> 19)
      v1 ^= v2
      v2 = (v2 << 16) | (v2 >>> 16)
      v0 ^= word
      if (round === 8) this.a = (v1 ^ v3) >>> 0
      else if (round === 11) this.b = (v1 ^ v3) >>> 0
    }
    this.c = (v1 ^ v3) >>> 0
  }
}

export function newSecret(): FingerprintSecret {
  const bytes = randomBytes(16)
  return [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8), bytes.readInt32LE(12)]
}
