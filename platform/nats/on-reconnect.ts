import type { NatsConnection } from '@nats-io/nats-core'

/** One loop for each connection: an iterator over its status ends only with the connection. */
const listeners = new WeakMap<NatsConnection, Set<() => void>>()

/** Calls back after each reconnect of the connection, until the returned function is called. */
export function onReconnect(nats: NatsConnection, callback: () => void): () => void {
  const callbacks = listeners.get(nats) ?? follow(nats)
  callbacks.add(callback)
  return () => void callbacks.delete(callback)
}

function follow(nats: NatsConnection): Set<() => void> {
  const callbacks = new Set<() => void>()
  listeners.set(nats, callbacks)
  void (async () => {
    for await (const { type } of nats.status()) {
      if (type === 'reconnect') for (const callback of callbacks) callback()
    }
  })()
  return callbacks
}
