/**
 * DSN keys in memory. A key is loaded on first use, unknown ones are remembered as unknown, and
 * requests that miss the same key at once share one query. When the store is away, known keys go on
 * working and an unknown one is "not now", never "no".
 */
import type { Clock } from '#platform/clock.ts'
import type { DsnKeyNo, ProjectId, PublicKey } from '#schemas/ids.ts'

export interface DsnKey {
  readonly publicKey: PublicKey
  readonly keyNo: DsnKeyNo
  readonly projectId: ProjectId
  /** Decimal digits, as they stand in the path. */
  readonly projectText: string
  /** Label of a component key. */
  readonly component: string | undefined
  readonly active: boolean
  /** Of web pages that may send to the project (schemas/allowed-origin.ts); empty: all. */
  readonly allowedOrigins: readonly string[]
}

export interface KeyStore {
  /** Undefined when there is no such key; throws when the store does not answer. */
  load(publicKey: PublicKey): Promise<DsnKey | undefined>
}

export type KeyLookup = DsnKey | 'unknown' | 'unavailable'

const keysMax = 20_000
/** A notification may be lost with its connection: past this age a key is loaded again behind the answer. */
const freshMs = 60_000
/** Unknown keys cost whoever guesses them one query each; a new key must not wait long. */
const unknownFreshMs = 30_000
/**
 * Keys that wait for the store at a time; more misses than this are "not now". After a start every key is missed once, and what is
 * refused then is lost to its sender.
 */
export const loadsMax = 4_096
/** While the store does not answer, those who ask hold their bodies for nothing. */
const awayLoadsMax = 64

interface Entry {
  key: DsnKey | undefined
  loadedAtMs: number
}

export class KeyCache {
  readonly #store: KeyStore
  readonly #clock: Clock
  readonly #entries = new Map<PublicKey, Entry>()
  readonly #loads = new Map<PublicKey, Promise<KeyLookup>>()
  /** The last load has failed. */
  #isAway = false

  constructor(store: KeyStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** What is known now; undefined means `load` must be asked. */
  peek(publicKey: PublicKey): DsnKey | 'unknown' | undefined {
    const entry = this.#entries.get(publicKey)
    if (entry === undefined) return undefined
    const ageMs = this.#clock.monotonicMs() - entry.loadedAtMs
    if (entry.key === undefined && unknownFreshMs < ageMs) return undefined
    if (freshMs < ageMs && !this.#loads.has(publicKey)) void this.load(publicKey)
    return entry.key ?? 'unknown'
  }

  load(publicKey: PublicKey): Promise<KeyLookup> {
    const running = this.#loads.get(publicKey)
    if (running !== undefined) return running
    const max = this.#isAway ? awayLoadsMax : loadsMax
    if (this.#loads.size >= max) return Promise.resolve('unavailable')
    const load = this.#load(publicKey).finally(() => this.#loads.delete(publicKey))
    this.#loads.set(publicKey, load)
    return load
  }

  /** The key has changed in the store; the answer in hand stands until the new one is here. */
  async refresh(publicKey: PublicKey): Promise<void> {
    const running = this.#loads.get(publicKey)
    // A load that began before the change may bring back the old state, also when it is the first one.
    if (running !== undefined) await running
    const entry = this.#entries.get(publicKey)
    if (entry === undefined) return
    // So that the key is read with its next use, should the store be busy now.
    markStale(entry)
    await this.load(publicKey)
  }

  /** Notifications may have been missed: everything is loaded again when it is next used. */
  expireAll(): void {
    for (const [publicKey, entry] of this.#entries) {
      if (entry.key === undefined) this.#entries.delete(publicKey)
      else markStale(entry)
    }
  }

  async #load(publicKey: PublicKey): Promise<KeyLookup> {
    let key: DsnKey | undefined
    try {
      key = await this.#store.load(publicKey)
      this.#isAway = false
    } catch {
      this.#isAway = true
      const entry = this.#entries.get(publicKey)
      if (entry?.key === undefined) {
        // What was not there once may be there by now: nobody can say "no" while the store is away.
        this.#entries.delete(publicKey)
        return 'unavailable'
      }
      // The store is asked again after a while, not with every request.
      entry.loadedAtMs = this.#clock.monotonicMs()
      return entry.key
    }
    this.#remember(publicKey, key)
    return key ?? 'unknown'
  }

  #remember(publicKey: PublicKey, key: DsnKey | undefined): void {
    const loadedAtMs = this.#clock.monotonicMs()
    const entry = this.#entries.get(publicKey)
    if (entry !== undefined) {
      entry.key = key
      entry.loadedAtMs = loadedAtMs
      return
    }
    if (this.#entries.size >= keysMax) this.#evict()
    this.#entries.set(publicKey, { key, loadedAtMs })
  }

  /** Unknown keys go first: a guesser must not push out the keys of real clients. */
  #evict(): void {
    for (const [publicKey, entry] of this.#entries) {
      if (entry.key === undefined) this.#entries.delete(publicKey)
    }
    if (this.#entries.size < keysMax) return
    for (const publicKey of this.#entries.keys()) {
      this.#entries.delete(publicKey)
      return
    }
  }
}

function markStale(entry: Entry): void {
  entry.loadedAtMs = Number.NEGATIVE_INFINITY
}
