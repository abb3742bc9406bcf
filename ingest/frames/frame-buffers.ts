/**
 * Pool of buffers for frames, reused once a frame is acknowledged. Allocating one costs more than
 * filling it, because the memory lies outside V8's heap and triggers its garbage collector.
 */
import type { BufferSource } from '#schemas/bus/frame-writer.ts'
import { frameBytesTarget, KiB } from '#schemas/limits.ts'

/**
 * A frame is sealed once it exceeds its target, so the buffer has room for the record that exceeds
 * it. With less room, two events of 50 KB would grow each frame into a buffer outside the pool.
 */
const frameBufferBytes = frameBytesTarget + 64 * KiB
/** Spare buffers that are kept: more than are in flight while the broker is healthy. */
const sparesMax = 64

export class FrameBuffers implements BufferSource {
  readonly #spares: Buffer[] = []

  take(): Buffer {
    return this.#spares.pop() ?? Buffer.allocUnsafeSlow(frameBufferBytes)
  }

  /**
   * Only for bytes that are no longer read. Buffers of other sizes are left to the garbage
   * collector.
   */
  giveBack(frame: Buffer): void {
    if (frame.buffer.byteLength !== frameBufferBytes || sparesMax <= this.#spares.length) return
    this.#spares.push(Buffer.from(frame.buffer))
  }
}
