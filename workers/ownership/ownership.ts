/**
 * Who owns which partition: a Postgres advisory lock per partition, held by one connection of this process. The lock
 * goes with the connection, so a killed worker frees its partitions at once; one that stands still (paused, cut off) has its
 * connection ended by the others. Locks are for liveness; what makes a sleeping owner harmless is the
 * epoch in every write.
 */
import pg from 'pg'
import type { Logger } from '#platform/logger.ts'
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
  readonly partitionCount: number
}

export interface OwnershipEvents {
  readonly onClaimed: (partition: number) => void
  /** Must end the work on the partition before it resolves: the lock is given back afterwards. */
  readonly onRelease: (partition: number) => Promise<void>
  /** The connection broke, and every lock with it. */
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
   * To be called about once a second, also while `close` is under way: says that this worker lives and moves towards its
   * fair share. What is given back is given back in the background, however long its work takes to end.
   */
  async tick(): Promise<void> {
    const client = this.#client ?? (this.#isLeaving ? undefined : await this.#connect())
    if (client === undefined) return
    try {
      await this.#move(client)
    } catch (error) {
      // A worker that cannot say that it lives is about to be taken for dead.
      this.#drop(client, error)
      throw error
    }
  }

  /** Gives one partition back, for instance because another owner was met. */
  async release(partition: number): Promise<void> {
    if (this.#client !== undefined) await this.#release(this.#client, partition)
  }

  /** Ends the work on every partition, gives each lock back as soon as it can, and takes this worker off the list. */
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
    const { partitionCount, workerId } = this.#options
    const query: Query = (sql, values) => this.#query(client, sql, values)
    const { holders, mayJudge } = await readHolders(query, workerId, this.#isLeaving)
    if (this.#isLeaving) return
    if (mayJudge && (await endSilentHolders(query, holders)) > 0) {
      this.#log.warn(
        { code: 'worker_silent', holders: holders.filter(({ state }) => state === 'silent') },
        'A worker stands still; its connection was ended and its partitions are free.',
      )
    }
    const workers = holders.flatMap((holder) => this.#shareOf(holder))
    const move = planShare({ partitionCount, self: workerId, workers })
    for (const partition of move.release) {
      // A failure has broken the connection, and says so.
      if (!this.#releasing.has(partition)) this.#release(client, partition).catch(() => undefined)
    }
    let claims = move.claimsMax
    for (const partition of move.claim) {
      if (claims === 0 || this.#isLeaving) return
      if (this.#owned.has(partition) || !(await this.#tryLock(client, partition))) continue
      // What was locked since then is freed with the connection.
      if (this.#isLeaving || this.#client !== client) return
      claims -= 1
      this.#owned.add(partition)
      this.#events.onClaimed(partition)
    }
  }

  /** What a worker holds towards its share: nothing that is silent or leaving has one. */
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
      // The connection may have broken meanwhile. The lock went with it, and what is owned now was claimed by the next one.
      if (this.#client !== client) return
      await this.#query(client, 'select pg_advisory_unlock($1, $2)', [lockSpace, partition])
      this.#owned.delete(partition)
    } catch (error) {
      // Whether the lock is free is not known: with the connection it surely is.
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

  /** One after the other: partitions are given back at any time, and the connection answers one query at a time. */
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
    // Those wait for work that began under the former lock, and give back nothing that is claimed from now on.
    this.#releasing.clear()
    this.#log.warn(
      { code: 'ownership_lost', err: error },
      'The connection that holds the partitions broke.',
    )
    this.#events.onLost()
  }
}
