import { createHash } from 'node:crypto'

/** About 40 MB. Of longer files, a dry run counts some repeated addresses as new. */
export const seenKeysMax = 1_000_000
const hashBytes = 6

/** The addresses that a dry run has seen, as 48-bit hashes: an error in a million is no harm. */
export class SeenKeys {
  readonly #hashes = new Set<number>()

  has(key: string): boolean {
    return this.#hashes.has(hashOf(key))
  }

  add(key: string): void {
    if (this.#hashes.size < seenKeysMax) this.#hashes.add(hashOf(key))
  }
}

function hashOf(key: string): number {
  return createHash('sha256').update(key).digest().readUIntBE(0, hashBytes)
}
