/**
 * Data of an event that is stored as the client wrote it. No step reads it, so it is neither parsed
 * nor written again.
 */
import { CleanValue } from '#platform/scrub/clean-value.ts'

export abstract class PlainData extends CleanValue {
  /** Exactly what `JSON.stringify` would write. */
  abstract readonly text: string

  open(): object {
    return JSON.parse(this.text) as object
  }

  /** For `JSON.stringify` of an event whose largest parts are left out. */
  toJSON(): object {
    return this.open()
  }
}

/** A whole attribute of the event. */
export class PlainAttribute extends PlainData {
  readonly name: 'extra' | 'modules'
  readonly text: string

  constructor(name: 'extra' | 'modules', text: string) {
    super()
    this.name = name
    this.text = text
  }
}

/** A breadcrumb in the list of them. */
export class PlainCrumb extends PlainData {
  readonly timeMs: number | undefined
  /** JSON of the fields that are stored after the time. */
  readonly #fields: string
  text = ''

  constructor(timeMs: number | undefined, fields: string) {
    super()
    this.timeMs = timeMs
    this.#fields = fields
  }

  /** @param time in RFC 3339, by the clock of the server; undefined without one. */
  setTime(time: string | undefined): void {
    this.text = time === undefined ? `{${this.#fields}}` : `{"timestamp":"${time}",${this.#fields}}`
  }
}
