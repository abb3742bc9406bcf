/**
 * Buffers that frames are written in, used again once a frame is acknowledged. Making one for each frame
 * costs more than filling it: the memory comes from outside V8's heap and drives its collector.
 */
import type { BufferSource } from '#schemas/bus/frame.ts'
import { frameBytesTarget, KiB } from '#schemas/limits.ts'

/** A frame is sealed once it is past its target, so the record that takes it there must fit as well. */
const frameBufferBytes = frameBytesTarget + 32 * KiB
/** Spare buffers kept; more than are ever in flight at once while the broker is well. */
const sparesMax = 64

export class FrameBuffers implements BufferSource {
  readonly #spares: Buffer[] = []

  take(): Buffer {
    return this.#spares.pop() ?? Buffer.allocUnsafeSlow(frameBufferBytes)
  }

  /** Only for bytes that nobody will read again. Those of another size are left to the collector. */
  giveBack(frame: Buffer): void {
    if (frame.buffer.byteLength !== frameBufferBytes || sparesMax <= this.#spares.length) return
    this.#spares.push(Buffer.from(frame.buffer))
  }
}
