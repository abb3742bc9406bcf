/**
 * One frame of a stack trace that was sent before, as the same bytes. It is parsed, searched for
 * secrets, normalised and written as JSON once, and then shared by all events that send it.
 */
import { CleanValue } from '#platform/scrub/clean-value.ts'
import type { StoredFrame } from '../stored-event.ts'
import { cleanJson } from '../values/clean-json.ts'
import { type Note, Notes } from '../values/notes.ts'
import type { JsonObject } from '../values/read-value.ts'

export type Scrub = (payload: JsonObject, notes: Notes) => void

/** What `readFrame` makes of the frame in an event of one platform. */
export interface ReadFrame {
  readonly frame: StoredFrame
  /** `JSON.stringify(frame)`. */
  readonly text: string
  readonly notes: readonly Note[]
}

/** Facts that the scan of the frame's bytes found, for the limits of the whole event. */
export interface FrameScan {
  readonly keyCount: number
  /** Levels of nesting, 1 for a frame without lists and objects. */
  readonly depth: number
  readonly needsCleaning: boolean
}

let lastId = 0

export class SharedFrame extends CleanValue {
  /** Of this frame alone, in this thread. */
  readonly id: number
  readonly bytes: Buffer
  readonly scan: FrameScan
  /** The frame that followed it last time, which most likely follows it again. */
  next: SharedFrame | undefined
  #scrub: Scrub | undefined
  #isClean = true
  #platform = ''
  #read: ReadFrame | undefined

  /** @param bytes JSON of an object; copied. */
  constructor(bytes: Uint8Array, scan: FrameScan) {
    super()
    lastId += 1
    this.id = lastId
    this.bytes = Buffer.from(bytes)
    this.scan = scan
  }

  /** A new object each time. */
  open(): JsonObject {
    const value: unknown = JSON.parse(this.bytes.toString())
    return (this.scan.needsCleaning ? cleanJson(value) : value) as JsonObject
  }

  /** Whether scrubbing leaves the frame as it is. The latest answer is kept. */
  isClean(scrub: Scrub | undefined): boolean {
    if (scrub !== this.#scrub) {
      const notes = new Notes()
      scrub?.({ stacktrace: { frames: [this.open()] } }, notes)
      this.#isClean = notes.list() === undefined
      this.#scrub = scrub
    }
    return this.#isClean
  }

  /** The latest result is kept. Of equal bytes, it depends on the platform of the event alone. */
  read(
    platform: string,
    readFrame: (
      sent: JsonObject,
      context: { readonly platform: string; readonly notes: Notes },
    ) => StoredFrame,
  ): ReadFrame {
    if (this.#read === undefined || platform !== this.#platform) {
      const notes = new Notes()
      const frame = Object.freeze(readFrame(this.open(), { platform, notes }))
      this.#read = { frame, text: JSON.stringify(frame), notes: notes.list() ?? [] }
      this.#platform = platform
    }
    return this.#read
  }
}
