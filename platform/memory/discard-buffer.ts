import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'

const { port1: drain, port2 } = new MessageChannel()
port2.close()
// A port is closed when its thread next looks for events. Until then messages wait for it, and the
// threads of a pool never do so: they wait for their next task instead.
await once(port2, 'close')
drain.unref()

/**
 * Gives the memory of a buffer back at once; the buffer is empty afterwards. V8 otherwise counts it
 * until a collection finds it, and starts a full collection after every 64 MB, which marks the
 * whole heap of the thread. A message that nobody can receive is freed when it is sent.
 *
 * Never discard what was handed to a socket or a file: a write that is still under way would read
 * freed memory, even one whose caller has given up.
 */
export function discardBuffer(buffer: ArrayBuffer): void {
  drain.postMessage(undefined, [buffer])
}
