/**
 * The stack traces of one range. The first row of each stack carries its names, and every row the
 * id of its stack, because most events of a range have one of few stacks. A search for a frame
 * looks for the rows that carry it, and then for all rows with the ids of their stacks. Rows of
 * different issues never share a stack, because an issue may be deleted with its rows. Rows that
 * were received in different hours carry the names each, so that a row is found as long as it is
 * kept, and by a search of the events since a time: the row with the names is as old as the others.
 * Erasing a person changes rows and removes none.
 */
import { hash } from 'node:crypto'
import type { ProjectId } from '#schemas/ids.ts'
import { type StoredText, storedText } from '#schemas/stored-text.ts'
import type { Frame, NormalizedEvent } from '../normalize/event.ts'
import { oncePerStack } from '../normalize/known-frames/shared-stacks.ts'
import { ProjectMap } from './project-map.ts'

/** Names of a stack, each once. */
export interface StackNames {
  readonly functions: readonly StoredText[]
  readonly filenames: readonly StoredText[]
  readonly absPaths: readonly StoredText[]
  readonly modules: readonly StoredText[]
  readonly packages: readonly StoredText[]
  /** Whether a frame is the user's own code, as far as the client says. */
  readonly inApp: 'yes' | 'no' | ''
}

export interface RowStack {
  /** 0 without frames, else 1 to 2^52 - 1. */
  readonly id: number
  /** Undefined if an earlier row carries the names. */
  readonly names: StackNames | undefined
}

const hourMs = 3_600_000
const framesMax = 500
const nameCharactersMax = 250
const noStack: RowStack = { id: 0, names: undefined }

export class Stacks {
  /** By project and fingerprint, then by hour, then by the text of the stack. */
  readonly #ids = new ProjectMap<Map<number, Map<string, number>>>()

  /**
   * The stack of an event whose row is written now.
   * @param groupingHash the fingerprint of the row.
   */
  take(projectId: ProjectId, groupingHash: string, event: NormalizedEvent): RowStack {
    const frames = framesOf(event)
    if (frames.length === 0) return noStack
    const inHour = this.#idsInHour(projectId, groupingHash, event.receivedAtMs)
    const text = textOf(frames)
    const known = inHour.get(text)
    if (known !== undefined) return { id: known, names: undefined }
    const digest = hash('sha256', `${projectId} ${groupingHash}${text}`, 'hex')
    const id = Number.parseInt(digest.slice(0, 13), 16)
    inHour.set(text, id)
    return { id, names: namesOf(frames) }
  }

  #idsInHour(projectId: ProjectId, groupingHash: string, receivedAtMs: number) {
    let ofIssue = this.#ids.get(projectId, groupingHash)
    if (ofIssue === undefined) {
      ofIssue = new Map()
      this.#ids.add(projectId, groupingHash, ofIssue)
    }
    const hour = Math.floor(receivedAtMs / hourMs)
    let inHour = ofIssue.get(hour)
    if (inHour === undefined) {
      inHour = new Map()
      ofIssue.set(hour, inHour)
    }
    return inHour
  }

  /** After a row that was taken back: it may have carried the names of its stack. */
  forget(): void {
    this.#ids.clear()
  }
}

/** What tells stacks apart. */
const textOf = oncePerStack((frames: readonly Frame[]): string => {
  let text = ''
  for (const { function: name, filename, abs_path, module, package: file, in_app } of frames)
    text += `\n${name}\t${filename}\t${abs_path}\t${module}\t${file}\t${in_app}`
  return text
})

/** Undefined without frames. */
export function stackNames(event: NormalizedEvent): StackNames | undefined {
  const frames = framesOf(event)
  return frames.length === 0 ? undefined : namesOf(frames)
}

function framesOf({ exceptions, frames, threads }: NormalizedEvent): readonly Frame[] {
  const [only, ...others] = exceptions
  if (others.length === 0 && only !== undefined && only.frames.length > 0)
    return lastOf(only.frames)
  const ofExceptions = exceptions.flatMap((exception) => exception.frames)
  if (ofExceptions.length > 0) return ofExceptions.slice(-framesMax)
  if (frames.length > 0) return lastOf(frames)
  const thread =
    threads.find(({ crashed }) => crashed) ?? threads.find(({ current }) => current) ?? threads[0]
  return thread === undefined ? [] : lastOf(thread.frames)
}

function lastOf(frames: readonly Frame[]): readonly Frame[] {
  return frames.length <= framesMax ? frames : frames.slice(-framesMax)
}

const namesOf = oncePerStack((frames: readonly Frame[]): StackNames => {
  const each = (nameOf: (frame: Frame) => string | undefined) =>
    [...new Set(frames.map(nameOf))].flatMap((name) =>
      name === undefined || name === '' ? [] : [storedText(name, nameCharactersMax)],
    )
  return {
    functions: each((frame) => frame.function),
    filenames: each(({ filename }) => filename),
    absPaths: each(({ abs_path }) => abs_path),
    modules: each(({ module }) => module),
    packages: each((frame) => frame.package),
    inApp: inAppOf(frames),
  }
})

function inAppOf(frames: readonly Frame[]): StackNames['inApp'] {
  if (frames.some(({ in_app }) => in_app === true)) return 'yes'
  return frames.some(({ in_app }) => in_app === false) ? 'no' : ''
}
