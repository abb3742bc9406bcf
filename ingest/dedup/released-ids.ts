/**
 * Ids of events that were taken and answered in the last minutes, so that a copy of one costs nothing: neither quota nor a
 * place on the bus. An id enters when its request was let go, which means that the event is safe: a copy that
 * is answered 200 relies on that. What is missed here (another process, a restart, more ids than fit) a worker finds.
 *
 * Two generations: ids are added to the young one and looked up in both, and after ten minutes the old one goes. So an
 * id is known for ten to twenty minutes, less only while more than a million come in ten.
 */
import { IdFingerprint } from '#platform/id-fingerprint.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { IdTable } from './id-table.ts'

export const generationMs = 600_000
export const idsPerGenerationMax = 1024 * 1024
const firstTableIdsMax = 65_536
/** A table that is full gets a larger one beside it: moving its ids would stop the process for milliseconds. */
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
  /** Of each generation the youngest table, which holds most, comes first. */
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

  /** Notes the id that `has` was asked for last, so that it can be added when its request is let go. */
  note(ids: NotedIds): void {
    const { a, b, c } = this.#fingerprint
    ids.push(a, b, c)
  }

  /** The request of these ids was let go. */
  add(ids: NotedIds): void {
    for (let at = 0; at < ids.length; at += 3) {
      this.#tableWithRoom().add(ids[at]!, ids[at + 1]!, ids[at + 2]!)
    }
  }

  /** To be called every now and then. */
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

  /** With room for as many ids as the last one had, so that steady traffic needs one table. */
  #beginGeneration(): void {
    const count = this.#young.reduce((sum, table) => sum + table.count, 0)
    const idsMax = Math.max(firstTableIdsMax, Math.ceil(count * 1.25))
    this.#old = this.#young
    this.#young = [new IdTable(Math.min(idsMax, this.#idsMax))]
    this.#begunAtMs = this.#monotonicMs()
  }
}
