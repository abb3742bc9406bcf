import type { NatsConnection } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import { busMessageBytesMax } from '#schemas/limits.ts'
import { readNatsUrls } from './nats-urls.ts'

export type { NatsConnection } from '@nats-io/nats-core'

/**
 * Throws when the server does not take messages as large as ours. Reconnects for ever once it was connected, unless the
 * server refuses the credentials: that ends the process, which can do nothing useful any more.
 * @param urls one server, or several of one cluster: it begins with any of them, and learns of the others by itself.
 */
export async function connectNats(urls: string, name: string): Promise<NatsConnection> {
  const { servers, user, password, usesTls } = readNatsUrls(urls)
  const connection = await connect({
    servers: [...servers],
    // Without it the library would speak in clear to whoever offers no TLS.
    ...(usesTls ? { tls: {} } : {}),
    ...(user === undefined ? {} : { user, pass: password }),
    name,
    // One that does not answer at all must not keep us from asking the next one.
    timeout: 5_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    // The default of two minutes would take a black-holed link for a healthy one.
    pingInterval: 5_000,
    maxPingOut: 2,
    // An Error object for every request would cost more than the request.
    noAsyncTraces: true,
  })
  void connection.closed().then((cause) => {
    // Nobody catches this, on purpose: it ends the process, and the supervisor starts it anew.
    if (cause instanceof Error) throw new Error('NATS has closed the connection', { cause })
  })
  const payloadBytesMax = connection.info?.max_payload ?? 0
  if (payloadBytesMax < busMessageBytesMax) {
    await connection.close()
    throw new Error(
      `NATS takes messages of ${payloadBytesMax} bytes, Sluice needs ${busMessageBytesMax}: set max_payload in the server's configuration`,
    )
  }
  return connection
}
