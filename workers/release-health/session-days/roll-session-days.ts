/**
 * Sums the sessions of days that are over (`session_days`), so that the health of releases is read
 * without them. A day of a project is closed six days after its end, when no client may send
 * sessions of it any more.
 *
 *   open    no version: readers use the sessions
 *   summed  the rows of one version became visible at once, and readers use the highest version
 *   stale   sessions came later (stale-session-day-store.ts): the next version is made
 *
 *   crash before the insert   nothing has changed
 *   crash after the insert    the day stays stale or not complete; the next run makes a version
 *                             that replaces the one it finds
 *
 * A version is taken after the reports of late sessions are read and before the sessions are, so a
 * higher version has never seen fewer sessions. Runs exclude each other by a lock of Postgres; if
 * its connection is lost, two runs still only make two whole versions.
 */
import type { ClickHouseClient } from '#platform/clickhouse.ts'
import type { Clock } from '#platform/clock.ts'
import type { Logger } from '#platform/logger.ts'
import type { Pool, PoolClient } from '#platform/postgres.ts'
import { closedAfterSeconds, daySeconds } from '#schemas/releases/session-days.ts'
import { inBatches } from './session-day-batches.ts'
import { withSessionDays } from './session-day-lock-store.ts'
import {
  completeDay,
  deleteVersionsBefore,
  insertDay,
  listOpenDays,
  listProjects,
  type ProjectSessions,
} from './session-day-store.ts'
import { forgetStaleDays, readStaleDays, type StaleDay } from './stale-session-day-store.ts'

export interface SessionDayContext {
  readonly pg: Pool
  readonly clickhouse: ClickHouseClient
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Pick<Logger, 'warn'>
}

/** A run begins no further batch after this time. */
const runMsMax = 10_000
const staleRowsMax = 500
/** A day that ClickHouse could not sum is left to its sessions for this long. */
const retryMs = 6 * 3_600_000

export class SessionDays {
  readonly #ctx: SessionDayContext
  /** By day: the time of the next attempt. */
  readonly #failed = new Map<number, number>()

  constructor(ctx: SessionDayContext) {
    this.#ctx = ctx
  }

  /** Returns the number of days that were completed. */
  async run(signal: AbortSignal): Promise<number> {
    const { pg, clickhouse, clock } = this.#ctx
    const endMs = clock.monotonicMs() + runMsMax
    const isOver = () => signal.aborted || clock.monotonicMs() >= endMs
    const closedDay = closedDayAt(await readTimeUs(pg))
    const stale = await readStaleDays(pg, { closedDay, rowsMax: staleRowsMax })
    for (const day of new Set(stale.map((each) => each.day))) {
      if (isOver()) return 0
      const ofDay = stale.filter((each) => each.day === day)
      await this.#attempt(day, () => this.#renew(day, ofDay))
    }
    let completed = 0
    for (const day of await listOpenDays(clickhouse, closedDay)) {
      if (isOver()) break
      await this.#attempt(day, async () => {
        if (await this.#sumDay(day, isOver)) completed += 1
      })
    }
    return completed
  }

  /** A day that fails does not hold up the others. */
  async #attempt(day: number, work: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#ctx
    if ((this.#failed.get(day) ?? 0) > clock.monotonicMs()) return
    try {
      await work()
      this.#failed.delete(day)
    } catch (error) {
      this.#failed.set(day, clock.monotonicMs() + retryMs)
      const date = new Date(day * daySeconds * 1000).toISOString().slice(0, 10)
      log.warn(
        { code: 'session_days_failed', err: error, day: date },
        `The sessions of ${date} could not be summed; they are read one by one until the next attempt in 6 h.`,
      )
    }
  }

  /** Sums a day of all projects. Returns false if it is not complete. */
  async #sumDay(day: number, isOver: () => boolean): Promise<boolean> {
    const { clickhouse } = this.#ctx
    const projects = await listProjects(clickhouse, day)
    const { batches } = inBatches(projects.filter(({ version }) => version === 0))
    let failure: { readonly error: unknown } | undefined
    for (const batch of batches) {
      if (isOver()) return false
      try {
        if (!(await this.#locked((client) => this.#make(client, day, batch)))) return false
      } catch (error) {
        // Projects of one batch do not hold up those of the next one.
        failure = { error }
      }
    }
    if (failure !== undefined) throw failure.error
    await completeDay(clickhouse, day, await readTimeUs(this.#ctx.pg))
    return true
  }

  /** Sums the day of projects again. */
  async #renew(day: number, stale: readonly StaleDay[]): Promise<void> {
    const { clickhouse } = this.#ctx
    const ids = stale.map(({ projectId }) => projectId)
    const projects = await listProjects(clickhouse, day, ids)
    const { batches, excluded } = inBatches(projects)
    const done = (some: readonly ProjectSessions[]) => {
      const has = new Set(some.map(({ projectId }) => projectId))
      return stale.filter(({ projectId }) => has.has(projectId))
    }
    for (const batch of batches) {
      await this.#locked(async (client) => {
        await this.#make(client, day, batch)
        await forgetStaleDays(client, done(batch))
      })
    }
    await this.#locked(async (client) => {
      // Too many releases for a sum now: their earlier sums go, and readers use the sessions.
      const summed = excluded.filter(({ version }) => version > 0)
      if (summed.length > 0) {
        const version = Math.max(...summed.map((each) => each.version)) + 1
        const projectIds = summed.map(({ projectId }) => projectId)
        await deleteVersionsBefore(clickhouse, { day, projectIds, version })
      }
      // Sessions that have expired, or whose project is gone.
      const found = new Set(projects.map(({ projectId }) => projectId))
      const gone = stale.filter(({ projectId }) => !found.has(projectId))
      await forgetStaleDays(client, [...done(excluded), ...gone])
    })
  }

  async #make(client: PoolClient, day: number, batch: readonly ProjectSessions[]): Promise<void> {
    const { clickhouse } = this.#ctx
    const earlier = Math.max(...batch.map(({ version }) => version))
    const version = Math.max(await readTimeUs(client), earlier + 1)
    const projectIds = batch.map(({ projectId }) => projectId)
    await insertDay(clickhouse, { day, projectIds, version })
    if (earlier > 0) await deleteVersionsBefore(clickhouse, { day, projectIds, version })
  }

  /** Returns false if another process works. */
  #locked(work: (client: PoolClient) => Promise<void>): Promise<boolean> {
    return withSessionDays(this.#ctx.pg, work)
  }
}

/** The last day, in days since 1970, of which no client may send sessions any more. */
export function closedDayAt(timeUs: number): number {
  return Math.floor((timeUs / 1e6 - closedAfterSeconds) / daySeconds) - 1
}

async function readTimeUs(client: Pick<PoolClient, 'query'>): Promise<number> {
  const { rows } = await client.query<{ us: number }>(
    'select floor(extract(epoch from clock_timestamp()) * 1000000)::float8 as us',
  )
  return rows[0]!.us
}
