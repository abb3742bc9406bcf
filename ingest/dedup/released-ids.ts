/**
 * Ids of events that were accepted and answered in the last minutes. A copy of such an event costs
 * no quota and is not published. An id is added when its request is released, which means that the
 * event is durable: the 200 for a copy relies on that. Copies that are missed here (another
 * process, a restart, too many ids) are found by a worker.
 *
 * There are two generations: ids are added to the younger and looked up in both, and the older is
 * dropped every ten minutes. An id is thus known for ten to twenty minutes, or less while more than
 * a million arrive in ten minutes.
 */
import { IdFingerprint } from '#platform/hash/id-fingerprint.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { IdTable } from './id-table.ts'

export const generationMs = 600_000
export const idsPerGenerationMax = 1024 * 1024
const firstTableIdsMax = 65_536
/**
 * A full table is extended by a larger one: moving its ids would block the process for
 * milliseconds.
 */
const growth = 8

/** Fingerprints of a request's events, three numbers each. */
export type NotedIds = number[]

export interface ReleasedIdsOptions {
  readonly monotonicMs: () => number
  readonly idsPerGenerationMax?: number
}

export class ReleasedIds {
  readonly #monotonicMs: () => number
  readonly #idsMax: number
  readonly #fingerprint = new IdFingerprint()
  /** The youngest table of each generation comes first, because it contains most ids. */
  #young: IdTable[]
  #old: IdTable[] = []
  #begunAtMs: number

  constructor(options: ReleasedIdsOptions) {
    this.#monotonicMs = options.monotonicMs
    this.#idsMax = options.idsPerGenerationMax ?? idsPerGenerationMax
    this.#young = [new IdTable(Math.min(firstTableIdsMax, this.#idsMax))]
    this.#begunAtMs = options.monotonicMs()
  }

  get byteLength(): number {
    return [...this.#young, ...this.#old].reduce((sum, table) => sum + table.byteLength, 0)
  }

  /** @param id 16 bytes, as in a record. */
  has(projectId: ProjectId, id: Uint8Array): boolean {
    this.#fingerprint.ofBytes(projectId, id)
    return this.#isIn(this.#young) || this.#isIn(this.#old)
  }

  /** Notes the id of the latest `has` call, to be added when its request is released. */
  note(ids: NotedIds): void {
    const { a, b, c } = this.#fingerprint
    ids.push(a, b, c)
  }

  /** Adds the ids of a request that was released. */
  add(ids: NotedIds): void {
    for (let at = 0; at < ids.length; at += 3) {
      this.#tableWithRoom().add(ids[at]!, ids[at + 1]!, ids[at + 2]!)
    }
  }

  /** Must be called regularly. */
  tick(): void {
    if (this.#begunAtMs + generationMs <= this.#monotonicMs()) this.#beginGeneration()
  }

  #isIn(tables: readonly IdTable[]): boolean {
    const { a, b, c } = this.#fingerprint
    for (const table of tables) if (table.has(a, b, c)) return true
    return false
  }

  #tableWithRoom(): IdTable {
    const newest = this.#young[0]!
    if (newest.count < newest.idsMax) return newest
    const held = this.#young.reduce((sum, table) => sum + table.idsMax, 0)
    if (held === this.#idsMax) {
      this.#beginGeneration()
      return this.#young[0]!
    }
    const table = new IdTable(Math.min(newest.idsMax * growth, this.#idsMax - held))
    this.#young.unshift(table)
    return table
  }

  /** Sized for the number of ids in the last generation, so that steady traffic uses one table. */
  #beginGeneration(): void {
    const count = this.#young.reduce((sum, table) => sum + table.count, 0)
    const idsMax = Math.max(firstTableIdsMax, Math.ceil(count * 1.25))
    this.#old = this.#young
    this.#young = [new IdTable(Math.min(idsMax, this.#idsMax))]
    this.#begunAtMs = this.#monotonicMs()
  }
}
