/**
 * Who owns which partition: a Postgres advisory lock per partition, held by one connection of this process. The lock
 * goes with the connection, so a killed worker frees its partitions at once. Locks are for liveness;
 * what makes a sleeping owner harmless is the epoch in every write.
 */
import pg from 'pg'
import type { Logger } from '#platform/logger.ts'
import { fairShare, planShare } from '../partitions/fair-share.ts'

/** First half of the advisory lock's key: ours, whatever else locks in this database. */
const lockSpace = 7_391_047
const workerTtlSeconds = 3

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

export class Ownership {
  readonly #options: OwnershipOptions
  readonly #events: OwnershipEvents
  readonly #log: Logger
  readonly #owned = new Set<number>()
  #client: pg.Client | undefined
  #lastQuery: Promise<unknown> = Promise.resolve()

  constructor(options: OwnershipOptions, events: OwnershipEvents, log: Logger) {
    this.#options = options
    this.#events = events
    this.#log = log
  }

  get owned(): readonly number[] {
    return [...this.#owned].sort((a, b) => a - b)
  }

  /** To be called about once a second: says that this worker lives and moves towards its fair share. */
  async tick(): Promise<void> {
    const client = this.#client ?? (await this.#connect())
    const { rows } = await this.#query<{ live: number }>(
      client,
      `with me as (
         insert into workers (id, seen_at) values ($1, now())
         on conflict (id) do update set seen_at = now() returning id
       ), gone as (delete from workers where seen_at < now() - interval '1 hour')
       select count(*)::int as live from (
         select id from workers where seen_at > now() - make_interval(secs => $2)
         union select id from me
       ) as live`,
      [this.#options.workerId, workerTtlSeconds],
    )
    const { partitionCount } = this.#options
    const liveWorkers = rows[0]?.live ?? 1
    const share = fairShare({ partitionCount, liveWorkers })
    const move = planShare({ partitionCount, liveWorkers, owned: this.owned })
    if (move.kind === 'release') await this.#release(client, move.partition)
    if (move.kind !== 'claim') return
    for (const partition of move.partitions) {
      if (this.#owned.size >= share) return
      if (await this.#tryLock(client, partition)) {
        this.#owned.add(partition)
        this.#events.onClaimed(partition)
      }
    }
  }

  /** Gives one partition back, for instance because another owner was met. */
  async release(partition: number): Promise<void> {
    if (this.#client !== undefined) await this.#release(this.#client, partition)
  }

  /** Ends the work on every partition, gives the locks back and takes this worker off the list. */
  async close(): Promise<void> {
    await Promise.all(this.owned.map((partition) => this.#events.onRelease(partition)))
    this.#owned.clear()
    const client = this.#client
    this.#client = undefined
    if (client === undefined) return
    await this.#query(client, 'delete from workers where id = $1', [this.#options.workerId]).catch(
      () => {},
    )
    await client.end()
  }

  async #release(client: pg.Client, partition: number): Promise<void> {
    if (!this.#owned.has(partition)) return
    await this.#events.onRelease(partition)
    // The connection may have broken meanwhile. The lock went with it, and what is owned now was claimed by the next one.
    if (this.#client !== client) return
    try {
      await this.#query(client, 'select pg_advisory_unlock($1, $2)', [lockSpace, partition])
      this.#owned.delete(partition)
    } catch (error) {
      // Whether the lock is free is not known: with the connection it surely is.
      await client.end().catch(() => {})
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

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#options.postgresUrl,
      application_name: 'sluice-worker-locks',
      connectionTimeoutMillis: 2_000,
      query_timeout: 5_000,
      keepAlive: true,
    })
    const lost = (error?: Error) => {
      if (this.#client !== client) return
      this.#client = undefined
      this.#owned.clear()
      this.#log.warn(
        { code: 'ownership_lost', err: error },
        'The connection that holds the partitions broke.',
      )
      this.#events.onLost()
    }
    client.on('error', lost)
    client.on('end', () => lost())
    await client.connect()
    this.#client = client
    return client
  }
}
