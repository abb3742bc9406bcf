/**
 * The connection of the NATS client, which reads large messages into memory of their own
 * (message-cutter.ts), and all else into one buffer. The client's own transport gets a new buffer
 * of 64 KB for each read.
 */
import { createConnection, type Socket } from 'node:net'
import {
  type ConnectionOptions,
  type NatsConnection,
  NatsConnectionImpl,
  setTransportFactory,
} from '@nats-io/transport-node'
// The package has no other way to extend it. package.json names an exact version.
import { NodeTransport, nodeResolveHost } from '@nats-io/transport-node/lib/node_transport.js'
import { MessageCutter } from './message-cutter.ts'
import { messageMemory } from './message-memory.ts'

/** As `connect` of the client, with this transport. Reconnects use it, too. */
export function connectWholeMessages(options: ConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({
    factory: () => new WholeMessageTransport(),
    dnsResolveFn: nodeResolveHost,
  })
  return NatsConnectionImpl.connect(options)
}

class WholeMessageTransport extends NodeTransport {
  readonly #cutter = new MessageCutter({
    take: (byteLength) => messageMemory.take(byteLength),
    emit: (bytes) => {
      this.yields.push(bytes)
      this.signal.resolve()
    },
  })

  override dial({ hostname, port }: { hostname: string; port: number }): Promise<Socket> {
    return new Promise((resolve, reject) => {
      let cause: Error | undefined
      const socket = createConnection({
        host: hostname,
        port,
        noDelay: true,
        onread: {
          buffer: () => this.#cutter.nextPlace(),
          callback: (length, buffer) => {
            if (this.connected) this.#cutter.wrote(length)
            // Keeps what it gets.
            else socket.emit('data', Buffer.from(buffer.subarray(0, length)))
            return true
          },
        },
      })
      socket.once('connect', () => {
        socket.removeAllListeners()
        resolve(socket)
      })
      socket.on('error', (error) => {
        cause = error
      })
      socket.on('close', () => {
        socket.removeAllListeners()
        reject(cause)
      })
    })
  }

  override setupHandlers(): void {
    super.setupHandlers()
    this.socket.removeAllListeners('data')
    this.socket.on('data', (bytes: Buffer) => this.#cutter.push(bytes))
    // What came with the first line of the server.
    for (const bytes of this.yields.splice(0)) this.#cutter.push(bytes)
  }
}
