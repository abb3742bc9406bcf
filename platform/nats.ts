import type { NatsConnection } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import { busMessageBytesMax } from '#schemas/limits.ts'

export type { NatsConnection } from '@nats-io/nats-core'

/**
 * Throws when the server does not take messages as large as ours. Reconnects for ever once it was connected, unless the
 * server refuses the credentials: that ends the process, which can do nothing useful any more.
 */
export async function connectNats(url: string, name: string): Promise<NatsConnection> {
  // The library reads no credentials out of a URL: it would take a password for the port.
  const { protocol, username, password, host } = new URL(url)
  const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  const connection = await connect({
    servers: host,
    // Without it the library would speak in clear to whoever offers no TLS.
    ...(protocol === 'tls:' ? { tls: {} } : {}),
    ...(username === '' ? {} : credentials),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    // The default of two minutes would take a black-holed link for a healthy one.
    pingInterval: 10_000,
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
