/**
 * A project and a 16-byte id as a fingerprint of 96 bits, which no sender can aim at another id's:
 * HalfSipHash with 1 round per word and 3 per result, keyed with a secret of the process. Two of a
 * million ids share a fingerprint with a probability of about 10^-17, so equal fingerprints are
 * taken for equal ids. Fingerprints are never stored and never leave the process.
 */
import { randomBytes } from 'node:crypto'
import type { ProjectId } from '#schemas/ids.ts'
import { HalfSipHash } from './half-sip-hash.ts'

const processKey = randomBytes(8)
/** 8 bytes of the project and 16 of the id. */
const messageBytes = 24

export class IdFingerprint {
  /**
   * The words of the latest fingerprint, unsigned. The first one is never 0, which tables use for
   * "empty".
   */
  a = 0
  b = 0
  c = 0
  readonly #hash: HalfSipHash
  readonly #words = new Int32Array(messageBytes / 4 + 1)

  /** @param key of 8 bytes. Only tests give one. */
  constructor(key: Buffer = processKey) {
    this.#hash = new HalfSipHash({ key, roundsPerWord: 1, roundsPerResult: 3, resultWords: 3 })
    this.#words[messageBytes / 4] = messageBytes << 24
  }

  /** @param start of the 16 bytes of the id. */
  ofBytes(projectId: ProjectId, bytes: Uint8Array, start = 0): void {
    const w0 = wordAt(bytes, start)
    const w1 = wordAt(bytes, start + 4)
    this.ofWords(projectId, w0, w1, wordAt(bytes, start + 8), wordAt(bytes, start + 12))
  }

  /** The id as four big-endian words. */
  ofWords(projectId: ProjectId, w0: number, w1: number, w2: number, w3: number): void {
    const words = this.#words
    words[0] = projectId
    words[1] = Math.floor(projectId / 0x1_0000_0000)
    words[2] = w0
    words[3] = w1
    words[4] = w2
    words[5] = w3
    this.#hash.hash(words)
    this.a = this.#hash.a || 1
    this.b = this.#hash.b
    this.c = this.#hash.c
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!
}
