/**
 * Caches DSN keys in memory. A key is loaded on first use, unknown keys are cached as unknown, and
 * concurrent requests for one key share a query. While the store is away, cached keys keep working;
 * any other key is unavailable, never unknown.
 */
import type { Clock } from '#platform/clock.ts'
import type { DsnKeyNo, ProjectId, PublicKey } from '#schemas/ids.ts'
import type { AttachmentPolicy } from '../attachments/attachment-policy.ts'

export interface DsnKey {
  readonly publicKey: PublicKey
  readonly keyNo: DsnKeyNo
  readonly projectId: ProjectId
  /** Decimal digits, as in the path. */
  readonly projectText: string
  /** Label of a component key. */
  readonly component: string | undefined
  readonly active: boolean
  /**
   * Origins of web pages that may send to the project (schemas/allowed-origin.ts); empty means all.
   */
  readonly allowedOrigins: readonly string[]
  /** Absent: attachments are not kept. */
  readonly attachments?: AttachmentPolicy | undefined
}

export interface KeyStore {
  /** Resolves to undefined when there is no such key; rejects when the store does not answer. */
  load(publicKey: PublicKey): Promise<DsnKey | undefined>
}

export type KeyLookup = DsnKey | 'unknown' | 'unavailable'

const keysMax = 20_000
/**
 * Older entries are reloaded in the background, because a notification may be lost with its
 * connection.
 */
const freshMs = 60_000
/**
 * Shorter for unknown keys, because a new key must work soon. A client that guesses keys costs one
 * query per key.
 */
const unknownFreshMs = 30_000
/**
 * Keys that are loaded at a time; others are unavailable. After a start every key is missing once,
 * and events that are refused then are lost.
 */
export const loadsMax = 4_096
/** Lower while the store does not answer, because waiting requests keep their bodies in memory. */
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
  /** The latest load failed. */
  #isAway = false

  constructor(store: KeyStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** The cached result. Undefined means that the key must be loaded. */
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

  /** Reloads a key that has changed in the store. The cached key stays valid until then. */
  async refresh(publicKey: PublicKey): Promise<void> {
    const running = this.#loads.get(publicKey)
    // A load that started before the change may return the old state, even when it is the first
    // one.
    if (running !== undefined) await running
    const entry = this.#entries.get(publicKey)
    if (entry === undefined) return
    // Marked stale, so that the next use reloads the key if this load fails.
    markStale(entry)
    await this.load(publicKey)
  }

  /** Notifications may have been missed: every key is reloaded on its next use. */
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
        // A key that did not exist may exist by now, so it must not be called unknown while the
        // store is away.
        this.#entries.delete(publicKey)
        return 'unavailable'
      }
      // Retries after a while, not with every request.
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

  /**
   * Evicts unknown keys first, so that a client that guesses keys cannot evict those of real
   * clients.
   */
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
