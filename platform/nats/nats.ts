import { readFileSync } from 'node:fs'
import { credsAuthenticator, type NatsConnection } from '@nats-io/nats-core'
import { busMessageBytesMax } from '#schemas/limits.ts'
import { readNatsUrls } from './nats-urls.ts'
import { connectWholeMessages } from './transport/whole-message-transport.ts'

export type { NatsConnection } from '@nats-io/nats-core'

/**
 * Throws if the server's maximum message size is smaller than ours. Once connected, reconnects
 * forever, unless the server rejects the credentials, which ends the process.
 * @param urls one server, or several of one cluster: connects to any of them and discovers the
 * others.
 * @param onRefused called instead of ending the process.
 */
export async function connectNats(
  urls: string,
  name: string,
  onRefused?: (cause: Error) => void,
): Promise<NatsConnection> {
  const { servers, user, password, usesTls, credentialsFile } = readNatsUrls(urls)
  const connection = await connectWholeMessages({
    servers: [...servers],
    // Without this option, the library would use clear text with servers that offer no TLS.
    ...(usesTls ? { tls: {} } : {}),
    ...(user === undefined ? {} : { user, pass: password }),
    // Read at each reconnect, so that a replaced file is used without a restart.
    ...(credentialsFile === undefined
      ? {}
      : { authenticator: credsAuthenticator(() => readFileSync(credentialsFile)) }),
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
    if (!(cause instanceof Error)) return
    if (onRefused !== undefined) return onRefused(cause)
    // Not caught on purpose: it ends the process, and the supervisor restarts it.
    throw new Error('NATS has closed the connection', { cause })
  })
  const payloadBytesMax = connection.info?.max_payload ?? 0
  if (payloadBytesMax < busMessageBytesMax) {
    await connection.close()
    throw new Error(
      `NATS accepts messages of at most ${payloadBytesMax} bytes, and Sluice needs ${busMessageBytesMax}. Increase max_payload in the server's configuration`,
    )
  }
  return connection
}
