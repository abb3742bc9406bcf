/** The order in which the exceptions of one event are read: what failed first, then its causes. */
import { numberOf, textOf } from './fields.ts'
import type { EventException } from './read-event.ts'

export interface ChainLink {
  readonly exception: EventException
  /** Of the exception above it: its cause, a part of its group, or what was being handled. */
  readonly relation: 'first' | 'cause' | 'part' | 'context'
  /** Groups inside groups are indented. */
  readonly depth: number
}

const depthMax = 4

/** The exception that reached the handler is the last one that clients send. */
export function chainOf(exceptions: readonly EventException[]): readonly ChainLink[] {
  const byId = new Map<number, EventException>()
  for (const exception of exceptions) {
    const id = numberOf(exception.mechanism['exception_id'])
    if (id !== undefined) byId.set(id, exception)
  }
  return exceptions.toReversed().map((exception, index) => {
    if (index === 0) return { exception, relation: 'first', depth: 0 }
    return { exception, relation: relationOf(exception, byId), depth: depthOf(exception, byId) }
  })
}

function parentOf(exception: EventException, byId: ReadonlyMap<number, EventException>) {
  const id = numberOf(exception.mechanism['parent_id'])
  return id === undefined ? undefined : byId.get(id)
}

function relationOf(
  exception: EventException,
  byId: ReadonlyMap<number, EventException>,
): ChainLink['relation'] {
  const source = textOf(exception.mechanism['source']) ?? ''
  if (source === '__context__') return 'context'
  const parent = parentOf(exception, byId)
  const isPart = parent?.mechanism['is_exception_group'] === true && !source.includes('cause')
  return isPart ? 'part' : 'cause'
}

/** A chain of causes stays at one level; only parts of groups go one level deeper. */
function depthOf(exception: EventException, byId: ReadonlyMap<number, EventException>): number {
  let depth = 0
  let current: EventException | undefined = exception
  const seen = new Set<EventException>()
  // Parents come from the client and may form a circle.
  while (current !== undefined && !seen.has(current) && depth < depthMax) {
    seen.add(current)
    if (relationOf(current, byId) === 'part') depth += 1
    current = parentOf(current, byId)
  }
  return depth
}
