/**
 * Buffers that frames are written in, used again once a frame is acknowledged. Making one for each frame
 * costs more than filling it: the memory comes from outside V8's heap and drives its collector.
 */
import type { BufferSource } from '#schemas/bus/frame.ts'

export const frameBufferBytes = 64 * 1024
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
