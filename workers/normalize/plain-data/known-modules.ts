/**
 * The lists of modules that recent events sent. A program sends the same one with each event, up to
 * a thousand names, so what is stored of it is made once. Scrubbing leaves modules out.
 */
import { GenerationalMap } from '../known-frames/generational-map.ts'
import { cleanJson } from '../values/clean-json.ts'
import { Notes } from '../values/notes.ts'
import { readModules } from '../values/read-modules.ts'
import { PlainAttribute } from './plain-data.ts'

/** A longer list is read each time. */
const listBytesMax = 64 * 1024
/** Of each of two generations. */
const generationBytesMax = 4 * 1024 * 1024
/** What is kept of a list, for each of its bytes and besides: key and text. */
const bytesPerByte = 2
const bytesPerList = 200

export interface SentModules {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  readonly needsCleaning: boolean
}

export class KnownModules {
  /** `undefined` until a second event sends the list; `null` if it cannot be shared. */
  readonly #lists = new GenerationalMap<{ stored: PlainAttribute | null | undefined }>({
    generationBytesMax,
    bytesOf: (key) => bytesPerByte * key.length + bytesPerList,
  })

  /** What is stored of the list; undefined when it is seen the first time, or must be read. */
  find({ bytes, start, end, needsCleaning }: SentModules): PlainAttribute | undefined {
    if (end - start > listBytesMax) return undefined
    const key = bytes.toString('latin1', start, end)
    const entry = this.#lists.get(key)
    if (entry === undefined) {
      this.#lists.set(key, { stored: undefined })
      return undefined
    }
    if (entry.stored === undefined)
      entry.stored = store(bytes.toString('utf8', start, end), needsCleaning) ?? null
    return entry.stored ?? undefined
  }
}

function store(text: string, needsCleaning: boolean): PlainAttribute | undefined {
  let sent: unknown
  try {
    sent = JSON.parse(text)
  } catch {
    return undefined
  }
  const notes = new Notes()
  const read = readModules(needsCleaning ? cleanJson(sent) : sent, notes)
  if (read === undefined || notes.list() !== undefined) return undefined
  return new PlainAttribute('modules', JSON.stringify(read))
}
