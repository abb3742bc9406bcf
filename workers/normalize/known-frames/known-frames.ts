/**
 * The frames of stack traces that recent events sent. The same few thousand frames make up most of
 * all large events, so a frame that is found here is neither scanned nor parsed again. Nothing that
 * is digested depends on what is known: a frame gives the same text either way
 * (known-frames.property.test.ts).
 */
import { GenerationalMap } from './generational-map.ts'
import { type FrameScan, SharedFrame } from './shared-frame.ts'

/** A larger frame is parsed each time. */
const frameBytesMax = 4096
/** Of each of two generations. */
const generationBytesMax = 32 * 1024 * 1024
/** What is kept of a frame, for each of its bytes and besides: key, bytes, texts and objects. */
const bytesPerByte = 4
const bytesPerFrame = 1500

interface Entry {
  /** Undefined until a second event sends the frame: most frames of a hostile client never do. */
  shared: SharedFrame | undefined
}

export class KnownFrames {
  readonly #entries: GenerationalMap<Entry>

  constructor(bytesMax = generationBytesMax) {
    this.#entries = new GenerationalMap({
      generationBytesMax: bytesMax,
      bytesOf: (key) => bytesPerByte * key.length + bytesPerFrame,
      // A forgotten frame must not keep others in memory.
      forget: ({ shared }) => {
        if (shared !== undefined) shared.next = undefined
      },
    })
  }

  /** The frame with the bytes from `start` to `end`; undefined when it is seen the first time. */
  find(bytes: Buffer, start: number, end: number, scan: FrameScan): SharedFrame | undefined {
    if (end - start > frameBytesMax) return undefined
    const key = bytes.toString('latin1', start, end)
    const entry = this.#entries.get(key)
    if (entry === undefined) {
      this.#entries.set(key, { shared: undefined })
      return undefined
    }
    entry.shared ??= this.#share(bytes.subarray(start, end), scan)
    return entry.shared
  }

  /** Undefined for bytes that are no JSON. */
  #share(bytes: Buffer, scan: FrameScan): SharedFrame | undefined {
    const frame = new SharedFrame(bytes, scan)
    try {
      frame.open()
    } catch {
      return undefined
    }
    return frame
  }
}
