/**
 * Probes ClickHouse over a connection of its own, so that long inserts and queries do not count as
 * an outage.
 */
import { createClickHouse } from '../clickhouse.ts'

export class ClickHouseProbe {
  readonly #client: ReturnType<typeof createClickHouse>

  constructor(url: string, applicationName: string) {
    this.#client = createClickHouse(url, applicationName, {
      connectionsMax: 1,
      requestTimeoutMs: requestMsMax,
    })
  }

  /** Rejects with the error of the driver. */
  readonly probe = async (): Promise<undefined> => {
    const answer = await this.#client.ping()
    if (!answer.success) throw answer.error
  }

  async close(): Promise<void> {
    await this.#client.close()
  }
}

/** The connection is free again for the next probe. */
const requestMsMax = 2_000
