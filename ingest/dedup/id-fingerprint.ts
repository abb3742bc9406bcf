/**
 * The id of a project's event as 96 bits that no sender can make collide with another's:
 * HalfSipHash (Aumasson and Bernstein) with one round for each word and four to finish, keyed with
 * a secret of the process. The result never leaves the process, so it is three words of the final
 * state, which the original does not reveal. Among a million ids a collision has a probability of
 * 10^-17, so equal fingerprints are treated as equal ids.
 */
import { randomBytes } from 'node:crypto'
import type { ProjectId } from '#schemas/ids.ts'

export class IdFingerprint {
  /** The three words of the latest fingerprint. The first is never 0. */
  a = 0
  b = 0
  c = 0
  readonly #k0: number
  readonly #k1: number
  #v0 = 0
  #v1 = 0
  #v2 = 0
  #v3 = 0

  constructor(secret: Buffer = randomBytes(8)) {
    this.#k0 = secret.readInt32LE(0)
    this.#k1 = secret.readInt32LE(4)
  }

  /** @param id 16 bytes. */
  of(projectId: ProjectId, id: Uint8Array): void {
    // Constants of HalfSipHash.
    this.#v0 = this.#k0
    this.#v1 = this.#k1
    this.#v2 = 0x6c796765 ^ this.#k0
    this.#v3 = 0x74656462 ^ this.#k1
    this.#mix(projectId | 0)
    this.#mix(Math.floor(projectId / 0x1_0000_0000))
    for (let at = 0; at < 16; at += 4) {
      this.#mix((id[at]! << 24) | (id[at + 1]! << 16) | (id[at + 2]! << 8) | id[at + 3]!)
    }
    this.#v2 ^= 0xff
    for (let round = 0; round < 4; round += 1) this.#round()
    this.a = this.#v0 >>> 0 || 1
    this.b = (this.#v1 ^ this.#v3) >>> 0
    this.c = this.#v2 >>> 0
  }

  #mix(word: number): void {
    this.#v3 ^= word
    this.#round()
    this.#v0 ^= word
  }

  #round(): void {
    let v0 = this.#v0
    let v1 = this.#v1
    let v2 = this.#v2
    let v3 = this.#v3
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
    this.#v0 = v0
    this.#v1 = v1
    this.#v2 = v2
    this.#v3 = v3
  }
}
