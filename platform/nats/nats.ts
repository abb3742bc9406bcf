import type { NatsConnection } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import { busMessageBytesMax } from '#schemas/limits.ts'
import { readNatsUrls } from './nats-urls.ts'

export type { NatsConnection } from '@nats-io/nats-core'

/**
 * Throws if the server refuses messages as large as ours. Reconnects forever once connected, unless
 * the server refuses the credentials: that ends the process.
 * @param urls one server, or several of one cluster: connects to any of them and discovers the
 * others.
 */
export async function connectNats(urls: string, name: string): Promise<NatsConnection> {
  const { servers, user, password, usesTls } = readNatsUrls(urls)
  const connection = await connect({
    servers: [...servers],
    // Without it the library would use clear text with servers that offer no TLS.
    ...(usesTls ? { tls: {} } : {}),
    ...(user === undefined ? {} : { user, pass: password }),
    name,
    // A server that does not answer must not delay trying the next one.
    timeout: 5_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    // With the default of two minutes a black-holed connection would look healthy.
    pingInterval: 5_000,
    maxPingOut: 2,
    // Creating an Error object per request would cost more than the request.
    noAsyncTraces: true,
  })
  void connection.closed().then((cause) => {
    // Not caught on purpose: it ends the process, and the supervisor restarts it.
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
