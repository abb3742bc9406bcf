/**
 * Probes Postgres over a connection of its own, so that a busy pool does not count as an outage.
 * The connection is opened again when it was lost.
 */
import pg from 'pg'

export interface PostgresProbeOptions {
  readonly url: string
  readonly applicationName: string
  readonly limitMs?: number
}

const limitMsDefault = 2_000

export class PostgresProbe {
  readonly #options: PostgresProbeOptions
  #client: pg.Client | undefined
  #isClosed = false

  constructor(options: PostgresProbeOptions) {
    this.#options = options
  }

  /** Rejects with the error of the driver. */
  readonly probe = async (): Promise<undefined> => {
    if (this.#isClosed) return
    const client = this.#client ?? (await this.#connect())
    try {
      await client.query('select 1')
    } catch (error) {
      this.#drop(client)
      throw error
    }
  }

  close(): void {
    this.#isClosed = true
    if (this.#client !== undefined) this.#drop(this.#client)
  }

  async #connect(): Promise<pg.Client> {
    const { url, applicationName, limitMs = limitMsDefault } = this.#options
    const client = new pg.Client({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: limitMs,
      query_timeout: limitMs,
      keepAlive: true,
    })
    client.on('error', () => this.#drop(client))
    client.on('end', () => this.#drop(client))
    try {
      await client.connect()
    } catch (error) {
      this.#drop(client)
      throw error
    }
    if (this.#isClosed) this.#drop(client)
    else this.#client = client
    return client
  }

  #drop(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined
    client.end().catch(() => undefined)
  }
}
