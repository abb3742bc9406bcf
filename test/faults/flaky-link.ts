/**
 * A TCP proxy between one process and one engine that can simulate network faults. A fault affects
 * all connections, existing and new. Healing resets the connections that have lost bytes, because a
 * TCP connection never loses bytes and stays open.
 */
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { systemClock } from '#platform/clock.ts'

export type LinkTrouble =
  /** Every chunk is delayed, in both directions. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Each connection is reset after this many more bytes, possibly in the middle of a message. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** Nothing is forwarded and nothing is closed. Held bytes are delivered when the link heals. */
  | { readonly kind: 'stall' }
  /** Like `stall`, but the held bytes are lost: healing resets the connections. */
  | { readonly kind: 'black_hole' }
  /** Existing connections are reset, and so are new ones. */
  | { readonly kind: 'refuse' }

export class FlakyLink {
  readonly name: string
  readonly #target: { readonly host: string; readonly port: number }
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  #trouble: LinkTrouble | undefined

  private constructor(name: string, target: { host: string; port: number }) {
    this.name = name
    this.#target = target
    this.#server = createServer({ allowHalfOpen: true }, (near) => this.#accept(near))
  }

  static async open(name: string, target: { host: string; port: number }): Promise<FlakyLink> {
    const link = new FlakyLink(name, target)
    link.#server.listen({ host: '127.0.0.1', port: 0 })
    await once(link.#server, 'listening')
    return link
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error(`${this.name} is closed`)
    return address.port
  }

  trouble(trouble: LinkTrouble): void {
    this.heal()
    this.#trouble = trouble
    for (const pair of this.#pairs) pair.suffer(trouble)
  }

  heal(): void {
    const before = this.#trouble
    this.#trouble = undefined
    for (const pair of this.#pairs) pair.recover(before)
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) pair.reset()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #accept(near: Socket): void {
    if (this.#trouble?.kind === 'refuse') {
      near.on('error', () => undefined)
      near.resetAndDestroy()
      return
    }
    const pair: Pair = new Pair(near, connect({ ...this.#target, allowHalfOpen: true }), () =>
      this.#pairs.delete(pair),
    )
    this.#pairs.add(pair)
    if (this.#trouble !== undefined) pair.suffer(this.#trouble)
  }
}

/** One proxied connection: bytes of the process go to the engine, and the other way round. */
class Pair {
  readonly #sockets: readonly [Socket, Socket]
  readonly #directions: readonly Direction[]

  constructor(near: Socket, far: Socket, onClosed: () => void) {
    this.#sockets = [near, far]
    this.#directions = [
      new Direction(near, far, () => this.reset()),
      new Direction(far, near, () => this.reset()),
    ]
    near.on('close', onClosed)
  }

  suffer(trouble: LinkTrouble): void {
    if (trouble.kind === 'refuse') this.reset()
    else for (const direction of this.#directions) direction.suffer(trouble)
  }

  recover(before: LinkTrouble | undefined): void {
    if (before?.kind === 'black_hole') this.reset()
    else for (const direction of this.#directions) direction.recover()
  }

  reset(): void {
    for (const socket of this.#sockets) resetSocket(socket)
  }
}

/**
 * Bytes that one direction may hold. Beyond that its sender has to wait, as with a full TCP window.
 */
const heldBytesMax = 1024 * 1024

class Direction {
  readonly #from: Socket
  readonly #to: Socket
  readonly #onCut: () => void
  /** Held chunks in order, each with the time at which it may be sent. */
  #held: { readonly send: () => void; readonly bytes: number; readonly dueMs: number }[] = []
  #heldBytes = 0
  #timer: NodeJS.Timeout | undefined
  #latencyMs = 0
  #bytesLeft = Number.POSITIVE_INFINITY
  #stalled = false

  constructor(from: Socket, to: Socket, onCut: () => void) {
    this.#from = from
    this.#to = to
    this.#onCut = onCut
    from.setNoDelay(true)
    from.on('data', (chunk: Buffer) => this.#take(chunk))
    from.on('end', () => this.#hold(0, () => to.end()))
    // Either end may fail at any time; its close event follows.
    from.on('error', () => undefined)
    from.on('close', () => {
      // A clean end was forwarded already; any other close must be a reset.
      if (from.readableEnded) this.#hold(0, () => to.destroySoon())
      else resetSocket(to)
    })
  }

  suffer(trouble: LinkTrouble): void {
    if (trouble.kind === 'latency') this.#latencyMs = trouble.ms
    if (trouble.kind === 'cut') this.#bytesLeft = trouble.afterBytes
    if (trouble.kind === 'stall' || trouble.kind === 'black_hole') this.#stalled = true
    this.#restrain()
  }

  recover(): void {
    this.#latencyMs = 0
    this.#bytesLeft = Number.POSITIVE_INFINITY
    this.#stalled = false
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    for (const { send } of held) send()
    this.#restrain()
  }

  #take(chunk: Buffer): void {
    if (chunk.length > this.#bytesLeft) {
      this.#to.write(chunk.subarray(0, this.#bytesLeft), this.#onCut)
      this.#bytesLeft = 0
      return
    }
    this.#bytesLeft -= chunk.length
    this.#hold(chunk.length, () => this.#to.write(chunk, () => this.#restrain()))
  }

  #hold(bytes: number, send: () => void): void {
    if (this.#latencyMs === 0 && this.#held.length === 0 && !this.#stalled) {
      send()
    } else {
      this.#held.push({ send, bytes, dueMs: systemClock.monotonicMs() + this.#latencyMs })
      this.#heldBytes += bytes
      this.#waitForNext()
    }
    this.#restrain()
  }

  #waitForNext(): void {
    const next = this.#held[0]
    if (next === undefined || this.#timer !== undefined) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        this.#sendDue()
      },
      Math.max(0, next.dueMs - systemClock.monotonicMs()),
    )
  }

  #sendDue(): void {
    const nowMs = systemClock.monotonicMs()
    while (!this.#stalled) {
      const next = this.#held[0]
      if (next === undefined || next.dueMs > nowMs) break
      this.#held.shift()
      this.#heldBytes -= next.bytes
      next.send()
    }
    this.#restrain()
    if (!this.#stalled) this.#waitForNext()
  }

  #restrain(): void {
    const full = this.#heldBytes + this.#to.writableLength > heldBytesMax
    if (this.#stalled || full) this.#from.pause()
    else this.#from.resume()
  }
}

function resetSocket(socket: Socket): void {
  if (socket.destroyed) return
  // Node keeps a socket that is reset while it is ending, which would keep the process from
  // exiting.
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}
