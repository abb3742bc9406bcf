/**
 * Data of an event that is stored as the client wrote it. No step reads it, so it is neither parsed
 * nor written again.
 */
import { CleanValue } from '#platform/scrub/clean-value.ts'

export abstract class PlainData extends CleanValue {
  /** Exactly what `JSON.stringify` would write. */
  text: string

  constructor(text: string) {
    super()
    this.text = text
  }

  /** For `JSON.stringify` of an event whose largest parts are left out. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** A whole attribute of the event. */
export class PlainAttribute extends PlainData {}

/** A breadcrumb in the list of them. */
export class PlainCrumb extends PlainData {
  readonly timeMs: number | undefined

  /** @param text of all fields but the time, which depends on the clock of the client. */
  constructor(timeMs: number | undefined, text: string) {
    super(text)
    this.timeMs = timeMs
  }

  /** Adds the first field, in RFC 3339. */
  addTime(time: string): void {
    this.text = `{"timestamp":"${time}",${this.text.slice(1)}`
  }
}
