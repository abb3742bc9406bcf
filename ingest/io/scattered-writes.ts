/**
 * Lets a NATS connection pass its commands and payloads to the socket one by one (`writev`). The
 * library joins them in a new buffer first, which costs as much as sending them: a copy of every
 * frame, and memory outside V8's heap that triggers its garbage collector. Payloads are read until
 * the server has them, so they must not change before its acknowledgement.
 *
 * This replaces an internal function of the library, so it checks every part that it uses, and
 * leaves a connection that has other parts as it is.
 */
import type { NatsConnection } from '@nats-io/nats-core'

interface Outbound {
  buffers: Uint8Array[]
  byteLength: number
}

interface Socket {
  readonly destroyed: boolean
  cork(): void
  write(bytes: Uint8Array): boolean
  uncork(): void
}

interface Protocol {
  readonly infoReceived: boolean
  readonly connected: boolean
  readonly outbound: Outbound
  readonly transport: { readonly socket?: Socket | undefined }
  flushPending(): void
}

/** Smaller output is joined: a write of its own costs more than the copy. */
const joinedBytesMax = 4_096

/** Returns false when the connection was left as it is. */
export function scatterWrites(connection: NatsConnection): boolean {
  const protocol = protocolOf(connection)
  if (protocol === undefined) return false
  const join = protocol.flushPending
  protocol.flushPending = () => {
    const { outbound, transport } = protocol
    const { socket } = transport
    const isOpen = protocol.infoReceived && protocol.connected && socket?.destroyed === false
    if (!isOpen || outbound.byteLength <= joinedBytesMax) {
      join.call(protocol)
      return
    }
    const { buffers } = outbound
    outbound.buffers = []
    outbound.byteLength = 0
    socket.cork()
    for (const bytes of buffers) socket.write(bytes)
    socket.uncork()
  }
  return true
}

function protocolOf(connection: NatsConnection): Protocol | undefined {
  const { protocol } = connection as { protocol?: Partial<Protocol> }
  const { outbound, transport, flushPending, infoReceived, connected } = protocol ?? {}
  const socket = transport?.socket
  const isKnown =
    Array.isArray(outbound?.buffers) &&
    typeof outbound.byteLength === 'number' &&
    typeof flushPending === 'function' &&
    typeof infoReceived === 'boolean' &&
    typeof connected === 'boolean' &&
    typeof socket?.cork === 'function' &&
    typeof socket.uncork === 'function'
  return isKnown ? (protocol as Protocol) : undefined
}
