import { type CanonicalThread, orAbsent } from '../canonical-event.ts'
import type { EventThread } from '../event.ts'
import { fieldCharactersMax, threadsPerEventMax } from '../field-limits.ts'
import {
  type JsonObject,
  readBoolean,
  readLenientText,
  readText,
  readValues,
} from '../values/read-value.ts'
import { normalizeStack, type StackContext } from './normalize-frames.ts'

export interface ReadThread {
  readonly typed: EventThread
  readonly canonical: CanonicalThread
}

/** The threads of a dump, in the order sent. */
export function normalizeThreads(value: unknown, context: StackContext): readonly ReadThread[] {
  const sent = readValues(value, 'threads', context.notes)
  if (sent.length <= threadsPerEventMax) return sent.map((thread) => readThread(thread, context))

  context.notes.add('threads', `cut to ${threadsPerEventMax} threads`)
  // The thread that crashed must not fall to the cut because others stand before it.
  const [told, others] = [sent.filter(isTold), sent.filter((thread) => !isTold(thread))]
  return [...told, ...others]
    .slice(0, threadsPerEventMax)
    .map((thread) => readThread(thread, context))
}

function isTold({ crashed, current }: JsonObject): boolean {
  return crashed === true || current === true
}

function readThread(thread: JsonObject, context: StackContext): ReadThread {
  const { notes } = context
  const { id, name, crashed, current, main, state, stacktrace } = thread
  const stack = normalizeStack(stacktrace, context)
  const typed: EventThread = {
    id: readLenientText(id, { field: 'threads.id', charactersMax: 64, notes }),
    name: readText(name, {
      field: 'threads.name',
      charactersMax: fieldCharactersMax.symbol,
      notes,
    }),
    crashed: crashed === true,
    current: current === true,
    frames: stack?.frames ?? [],
  }
  const canonical: CanonicalThread = {
    id: orAbsent(typed.id),
    name: orAbsent(typed.name),
    crashed: readBoolean(crashed),
    current: readBoolean(current),
    main: readBoolean(main),
    state: orAbsent(readText(state, { field: 'threads.state', charactersMax: 64, notes })),
    stacktrace: stack?.canonical,
  }
  return { typed, canonical }
}
