/**
 * Claims partitions by Postgres advisory locks, all held by one connection of this process. A lock
 * ends with the connection, so a killed worker frees its partitions at once; the connection of a
 * worker that hangs (paused, cut off) is terminated by the others. Locks provide liveness; safety
 * comes from the epoch in every write, which fences a former owner that wakes up.
 */
import pg from 'pg'
import type { Logger } from '#platform/logger.ts'
import { mayFollowOutage } from '#platform/readiness/outages.ts'
import type { IngestLayout } from '#schemas/bus/layout.ts'
import { planShare } from './fair-share.ts'
import {
  endSilentHolders,
  type Holder,
  lockSpace,
  type Query,
  readHolders,
} from './partition-holders.ts'

export interface OwnershipOptions {
  readonly postgresUrl: string
  readonly workerId: string
  readonly layout: IngestLayout
}

export interface OwnershipEvents {
  readonly onClaimed: (partition: number) => void
  /** Must end the work on the partition before it resolves: the lock is released afterwards. */
  readonly onRelease: (partition: number) => Promise<void>
  /** The connection was lost, and with it every lock. */
  readonly onLost: () => void
}

export const lockConnectionName = 'sluice-worker-locks'

export class Ownership {
  readonly #options: OwnershipOptions
  readonly #events: OwnershipEvents
  readonly #log: Logger
  readonly #owned = new Set<number>()
  readonly #releasing = new Map<number, Promise<void>>()
  #client: pg.Client | undefined
  #lastQuery: Promise<unknown> = Promise.resolve()
  #isLeaving = false

  constructor(options: OwnershipOptions, events: OwnershipEvents, log: Logger) {
    this.#options = options
    this.#events = events
    this.#log = log
  }

  get owned(): readonly number[] {
    return [...this.#owned].sort((a, b) => a - b)
  }

  /**
   * To be called about once a second, also while `close` is in progress: reports that this worker
   * is live, and moves towards its fair share. Partitions are released in the background, without a
   * time limit for their work.
   */
  async tick(): Promise<void> {
    const client = this.#client ?? (this.#isLeaving ? undefined : await this.#connect())
    if (client === undefined) return
    try {
      await this.#move(client)
    } catch (error) {
      // The other workers are about to declare a worker dead that cannot report.
      this.#drop(client, error)
      throw error
    }
  }

  /** Releases one partition, for instance because it has another owner. */
  async release(partition: number): Promise<void> {
    if (this.#client !== undefined) await this.#release(this.#client, partition)
  }

  /**
   * Ends the work on every partition, releases each lock as soon as possible, and removes this
   * worker from the list.
   */
  async close(): Promise<void> {
    this.#isLeaving = true
    const client = this.#client
    await Promise.all(
      this.owned.map((partition) =>
        client === undefined
          ? this.#events.onRelease(partition)
          : this.#release(client, partition).catch(() => undefined),
      ),
    )
    this.#owned.clear()
    this.#client = undefined
    if (client === undefined) return
    await this.#query(client, 'delete from workers where id = $1', [this.#options.workerId]).catch(
      () => {},
    )
    await client.end()
  }

  async #move(client: pg.Client): Promise<void> {
    const { layout, workerId } = this.#options
    const query: Query = (sql, values) => this.#query(client, sql, values)
    const { holders, mayJudge } = await readHolders(query, workerId, this.#isLeaving)
    if (this.#isLeaving) return
    if (mayJudge && (await endSilentHolders(query, holders)) > 0) {
      this.#log.warn(
        { code: 'worker_silent', holders: holders.filter(({ state }) => state === 'silent') },
        'A worker does not respond; its connection was terminated, which frees its partitions.',
      )
    }
    const workers = holders.flatMap((holder) => this.#shareOf(holder))
    const move = planShare({ layout, self: workerId, workers })
    for (const partition of move.release) {
      // A failed query closes the connection, which is logged there.
      if (!this.#releasing.has(partition)) this.#release(client, partition).catch(() => undefined)
    }
    let claims = move.claimsMax
    for (const partition of move.claim) {
      if (claims === 0 || this.#isLeaving) return
      if (this.#owned.has(partition) || !(await this.#tryLock(client, partition))) continue
      // Locks taken since then end with the connection.
      if (this.#isLeaving || this.#client !== client) return
      claims -= 1
      this.#owned.add(partition)
      this.#events.onClaimed(partition)
    }
  }

  /**
   * Returns the partitions that count towards the share of a worker. Silent and leaving workers
   * have no share.
   */
  #shareOf({
    workerId: id,
    state,
    partitions,
  }: Holder): { id: string; owned: readonly number[] }[] {
    if (id === undefined || state !== 'sharing') return []
    if (id !== this.#options.workerId) return [{ id, owned: partitions }]
    return [{ id, owned: this.owned.filter((partition) => !this.#releasing.has(partition)) }]
  }

  #release(client: pg.Client, partition: number): Promise<void> {
    if (!this.#owned.has(partition)) return Promise.resolve()
    const under = this.#releasing.get(partition)
    if (under !== undefined) return under
    const released = this.#giveBack(client, partition).finally(() => {
      if (this.#releasing.get(partition) === released) this.#releasing.delete(partition)
    })
    this.#releasing.set(partition, released)
    return released
  }

  async #giveBack(client: pg.Client, partition: number): Promise<void> {
    try {
      await this.#events.onRelease(partition)
      // The connection may have been lost meanwhile, and the lock with it. What is owned now was
      // claimed by the next connection.
      if (this.#client !== client) return
      await this.#query(client, 'select pg_advisory_unlock($1, $2)', [lockSpace, partition])
      this.#owned.delete(partition)
    } catch (error) {
      // It is unknown whether the lock was released; closing the connection releases it for
      // certain.
      this.#drop(client, error)
      throw error
    }
  }

  async #tryLock(client: pg.Client, partition: number): Promise<boolean> {
    const { rows } = await this.#query<{ locked: boolean }>(
      client,
      'select pg_try_advisory_lock($1, $2) as locked',
      [lockSpace, partition],
    )
    return rows[0]?.locked === true
  }

  /**
   * Queries run one after the other: partitions are released at any time, and a connection runs one
   * query at a time.
   */
  #query<Row extends pg.QueryResultRow>(
    client: pg.Client,
    sql: string,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    const answer = this.#lastQuery.then(() => client.query<Row>(sql, [...values]))
    this.#lastQuery = answer.catch(() => undefined)
    return answer
  }

  async #connect(): Promise<pg.Client | undefined> {
    const client = new pg.Client({
      connectionString: this.#options.postgresUrl,
      application_name: lockConnectionName,
      connectionTimeoutMillis: 2_000,
      query_timeout: 5_000,
      keepAlive: true,
    })
    client.on('error', (error) => this.#lose(client, error))
    client.on('end', () => this.#lose(client, undefined))
    await client.connect()
    if (this.#isLeaving) {
      await client.end()
      return undefined
    }
    this.#client = client
    return client
  }

  #drop(client: pg.Client, error: unknown): void {
    this.#lose(client, error)
    client.end().catch(() => {})
  }

  #lose(client: pg.Client, error: unknown): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#owned.clear()
    // They wait for work that began under the former lock, and must not release what is claimed
    // from now on.
    this.#releasing.clear()
    this.#log.warn(
      { code: 'ownership_lost', err: error, ...mayFollowOutage },
      'The connection that holds the partition locks was lost; reconnecting.',
    )
    this.#events.onLost()
  }
}
