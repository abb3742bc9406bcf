/** Probes NATS by a ping over the connection that the process uses. */
import type { NatsConnection } from '@nats-io/nats-core'

export class NatsProbe {
  readonly #nats: NatsConnection
  #isConnected = true

  constructor(nats: NatsConnection) {
    this.#nats = nats
    void this.#follow()
  }

  readonly probe = async (): Promise<string | undefined> => {
    if (this.#nats.isClosed()) return 'The connection to NATS is closed.'
    if (!this.#isConnected) return 'The connection to NATS was lost.'
    await this.#nats.rtt()
    return undefined
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.#nats.status()) {
      if (type === 'disconnect') this.#isConnected = false
      if (type === 'reconnect') this.#isConnected = true
    }
  }
}
