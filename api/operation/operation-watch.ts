/**
 * One snapshot of all processes and stores. It is shared for two seconds, so that many open pages
 * cost one round, and never takes longer than a second: what does not answer in time is shown as
 * such. The rates of processes are differences between two rounds.
 */
import type { Clock } from '#platform/clock.ts'
import { within } from '#platform/readiness/within.ts'
import type { Operation } from '#schemas/rest/operation/operation.ts'
import type { ApiContext } from '../context.ts'
import { countDeadLettersByReason } from '../dead-letters/dead-letter-store.ts'
import { reasonOf } from '../doctor/reason-of.ts'
import { operationView, type StoreFigures } from './operation-view.ts'
import type { Target } from './processes/target.ts'
import { ProcessWatch } from './processes/watch-processes.ts'
import { readClickHouseFigures } from './stores/clickhouse-figures-store.ts'
import { readJobFigures } from './stores/job-store.ts'
import { readPostgresFigures } from './stores/postgres-figures-store.ts'

const sharedMs = 2_000
/** Together less than a second. */
const roundLimits = { lookUpMs: 200, requestMs: 700 }
const storeMsDefault = 900

/** The figures of a store, or why there are none. */
export type Probed<Figures> =
  | (Figures & { readonly state: 'answers' })
  | { readonly state: 'does not answer'; readonly reason: string }

export class OperationWatch {
  readonly #clock: Clock
  readonly #processes: ProcessWatch
  readonly #stores: readonly [
    Probe<Awaited<ReturnType<typeof readJobFigures>>>,
    Probe<Extract<Operation['dead_letters'], { state: 'answers' }>>,
    Probe<Awaited<ReturnType<typeof readPostgresFigures>>>,
    Probe<Awaited<ReturnType<typeof readClickHouseFigures>>>,
  ]
  #shared: { readonly atMs: number; readonly operation: Promise<Operation> } | undefined

  constructor(
    ctx: Pick<ApiContext, 'pg' | 'clickhouse' | 'clock' | 'operationStoreMs'>,
    targets: () => Promise<readonly Target[]>,
  ) {
    const { pg, clickhouse, clock, operationStoreMs: storeMs = storeMsDefault } = ctx
    this.#clock = clock
    this.#processes = new ProcessWatch(targets, clock, roundLimits)
    this.#stores = [
      new Probe('Postgres', () => readJobFigures(pg), storeMs),
      new Probe('Postgres', () => readDeadLetterFigures(pg), storeMs),
      new Probe('Postgres', () => readPostgresFigures(pg), storeMs),
      new Probe('ClickHouse', () => readClickHouseFigures(clickhouse), storeMs),
    ]
  }

  read(): Promise<Operation> {
    const atMs = this.#clock.monotonicMs()
    const shared = this.#shared
    if (shared !== undefined && atMs - shared.atMs < sharedMs) return shared.operation
    const operation = this.#look()
    this.#shared = { atMs, operation }
    // A defect is not shared.
    operation.catch(() => {
      if (this.#shared?.operation === operation) this.#shared = undefined
    })
    return operation
  }

  async #look(): Promise<Operation> {
    const [jobs, deadLetters, postgres, clickhouse] = this.#stores
    const [snapshot, ...figures] = await Promise.all([
      this.#processes.look(),
      jobs.read(),
      deadLetters.read(),
      postgres.read(),
      clickhouse.read(),
    ])
    const stores: StoreFigures = {
      jobs: figures[0],
      dead_letters: figures[1],
      postgres: figures[2],
      clickhouse: figures[3],
    }
    return operationView(snapshot, stores)
  }
}

async function readDeadLetterFigures(pg: ApiContext['pg']) {
  const rows = await countDeadLettersByReason(pg)
  const reasons = rows.map(({ reason, count, oldest, newest }) => ({
    reason,
    count,
    oldest_at: oldest.toISOString(),
    newest_at: newest.toISOString(),
  }))
  return { state: 'answers', reasons } as const
}

/** A question to a store. While one waits for its answer, no other is asked. */
export class Probe<Figures extends object> {
  readonly #store: string
  readonly #ask: () => Promise<Figures>
  readonly #limitMs: number
  #asked: Promise<Figures> | undefined

  constructor(store: string, ask: () => Promise<Figures>, limitMs: number) {
    this.#store = store
    this.#ask = ask
    this.#limitMs = limitMs
  }

  async read(): Promise<Probed<Figures>> {
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = undefined
    })
    try {
      return { ...(await within(this.#limitMs, this.#store, this.#asked)), state: 'answers' }
    } catch (error) {
      return { state: 'does not answer', reason: reasonOf(error) }
    }
  }
}
