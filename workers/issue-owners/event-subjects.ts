/** What ownership rules look at in an event. Read when the first rule of its kind is tried. */
import type { OwnershipSubjects } from '#platform/ownership/compile-rule.ts'
import { namesOfPath } from '#platform/ownership/match-path.ts'
import { ownershipFields } from '#schemas/ownership/parse-ownership.ts'
import type { Frame, NormalizedEvent } from '../normalize/event.ts'

/** The frames nearest to the crash. */
const framesMax = 60

export class EventSubjects implements OwnershipSubjects {
  readonly #event: NormalizedEvent
  #frames: readonly Frame[] | undefined
  #paths: readonly (readonly string[])[] | undefined
  #pathNames: ReadonlySet<string> | undefined
  #modules: readonly string[] | undefined

  constructor(event: NormalizedEvent) {
    this.#event = event
  }

  get paths(): readonly (readonly string[])[] {
    this.#paths ??= unique(
      this.frames.flatMap(({ filename, abs_path }) => [filename, abs_path]),
    ).map(namesOfPath)
    return this.#paths
  }

  /** All names of the paths. */
  get pathNames(): ReadonlySet<string> {
    this.#pathNames ??= new Set(this.paths.flat())
    return this.#pathNames
  }

  get modules(): readonly string[] {
    this.#modules ??= unique([
      ...this.frames.map(({ module }) => module),
      ...this.#event.exceptions.map(({ module }) => module),
    ])
    return this.#modules
  }

  get urls(): readonly string[] {
    return unique([this.#event.request?.url])
  }

  tag(key: string): readonly string[] {
    const named = this.#event.tags.flatMap(([name, value]) => (name === key ? [value] : []))
    if (named.length > 0) return named
    const field = ownershipFields.find((name) => name === key)
    return unique([field === undefined ? undefined : this.#event[field]])
  }

  /** Frames of the application, or all if the client marks none. */
  get frames(): readonly Frame[] {
    this.#frames ??= nearest(this.#event)
    return this.#frames
  }
}

function nearest({ exceptions, frames, threads }: NormalizedEvent): readonly Frame[] {
  const lists = [
    exceptions.flatMap((exception) => exception.frames),
    frames,
    (threads.find(({ crashed }) => crashed) ?? threads.find(({ current }) => current))?.frames ??
      [],
  ]
  const all = lists.find((list) => list.length > 0) ?? []
  const own = all.filter(({ in_app }) => in_app === true)
  return (own.length > 0 ? own : all).slice(-framesMax).reverse()
}

function unique(texts: readonly (string | null | undefined)[]): readonly string[] {
  return [...new Set(texts.filter((text) => typeof text === 'string' && text !== ''))] as string[]
}
