/** The threads of a dump, in the order sent. */
import type { Draft } from '../draft.ts'
import type { EventThread } from '../event.ts'
import { contextBounds, fieldCharactersMax, threadsPerEventMax } from '../field-limits.ts'
import { orAbsent, type StoredThread } from '../stored-event.ts'
import { boundObject } from '../values/bound-value.ts'
import type { Notes } from '../values/notes.ts'
import {
  type JsonObject,
  readBoolean,
  readLenientText,
  readText,
  readValues,
} from '../values/read-value.ts'
import { framesToCrash } from './frames-to-crash.ts'
import { readStack, type StackContext } from './normalize-frames.ts'

export function normalizeThreads({ sent, notes, event, stored }: Draft): void {
  const kept = keptThreads(readValues(sent.threads, 'threads', notes), notes)
  if (kept.length === 0) return
  const context = { platform: event.platform, notes }
  const read = kept.map((thread) => readThread(thread, context))
  event.threads = read.map(({ thread }) => thread)
  stored.threads = { values: read.map((one) => one.stored) }
}

/** If there are too many threads, those that crashed or were current are kept at any position. */
function keptThreads(sent: readonly JsonObject[], notes: Notes): readonly JsonObject[] {
  if (sent.length <= threadsPerEventMax) return sent
  notes.add('threads', `cut to ${threadsPerEventMax} threads`)
  const marked = sent.filter(isMarked)
  const others = sent.filter((thread) => !isMarked(thread))
  return [...marked, ...others].slice(0, threadsPerEventMax)
}

function isMarked({ crashed, current }: JsonObject): boolean {
  return crashed === true || current === true
}

interface ReadThread {
  readonly thread: EventThread
  readonly stored: StoredThread
}

function readThread(sent: JsonObject, context: StackContext): ReadThread {
  const { notes } = context
  const { id, name, crashed, current, main, state, stacktrace } = sent
  const { raw_stacktrace, held_locks } = sent
  const stack = readStack(stacktrace, context)
  const thread: EventThread = {
    id: readLenientText(id, { field: 'threads.id', charactersMax: 64, notes }),
    name: readText(name, {
      field: 'threads.name',
      charactersMax: fieldCharactersMax.symbol,
      notes,
    }),
    crashed: crashed === true,
    current: current === true,
    frames: framesToCrash(stack),
  }
  const stored: StoredThread = {
    id: orAbsent(thread.id),
    name: orAbsent(thread.name),
    crashed: readBoolean(crashed),
    current: readBoolean(current),
    main: readBoolean(main),
    state: orAbsent(readText(state, { field: 'threads.state', charactersMax: 64, notes })),
    stacktrace: stack,
    raw_stacktrace: readStack(raw_stacktrace, context),
    held_locks: boundObject(held_locks, contextBounds, { field: 'threads.held_locks', notes }),
  }
  return { thread, stored }
}
