/** The chain of exceptions, oldest first: the last one is the one that was thrown to the top. */
import { exceptionsPerEventMax } from '#schemas/limits.ts'
import { type CanonicalException, orAbsent } from '../canonical-event.ts'
import type { EventException, Mechanism } from '../event.ts'
import { fieldCharactersMax, smallBounds } from '../field-limits.ts'
import { boundObject } from '../values/bound-value.ts'
import type { Notes } from '../values/notes.ts'
import {
  type JsonObject,
  readAnyText,
  readBoolean,
  readInteger,
  readLenientText,
  readObject,
  readText,
  readValues,
} from '../values/read-value.ts'
import { normalizeStack, type Stack, type StackContext } from './normalize-frames.ts'

export interface ReadException {
  readonly typed: EventException
  readonly canonical: CanonicalException
}

export interface Exceptions {
  readonly read: readonly ReadException[]
  /** The event's own stack trace, where it belongs to no exception. */
  readonly ownStack: Stack | undefined
}

export function normalizeExceptions(
  { exception, stacktrace }: { readonly exception: unknown; readonly stacktrace: unknown },
  context: StackContext,
): Exceptions {
  const sent = readValues(exception, 'exception', context.notes)
  const kept =
    sent.length <= exceptionsPerEventMax
      ? sent
      : // The newest, and the root cause.
        [...sent.slice(0, 1), ...sent.slice(1 - exceptionsPerEventMax)]
  if (kept !== sent) context.notes.add('exception', `cut to ${exceptionsPerEventMax} exceptions`)

  const read: ReadException[] = []
  for (const object of kept) {
    const one = readException(object, context)
    if (one === undefined) context.notes.add('exception.values', 'dropped: neither type nor value')
    else read.push(one)
  }

  const ownStack = normalizeStack(stacktrace, context)
  const [only] = read
  const takesStack = read.length === 1 && only?.canonical.stacktrace === undefined
  if (only === undefined || ownStack === undefined || !takesStack) return { read, ownStack }
  // Old clients send one exception with its stack beside it.
  const typed = { ...only.typed, frames: ownStack.frames }
  const canonical = { ...only.canonical, stacktrace: ownStack.canonical }
  return { read: [{ typed, canonical }], ownStack: undefined }
}

function readException(object: JsonObject, context: StackContext): ReadException | undefined {
  const { notes } = context
  const { module, thread_id, mechanism: sentMechanism, stacktrace } = object
  const mechanism = readMechanism(sentMechanism, notes)
  const { type, value } = readTypeAndValue(object, mechanism, notes)
  if (type === '' && value === '') return undefined

  const stack = normalizeStack(stacktrace, context)
  const typed: EventException = {
    type,
    value,
    module: readText(module, {
      field: 'exception.module',
      charactersMax: fieldCharactersMax.symbol,
      notes,
    }),
    frames: stack?.frames ?? [],
    mechanism,
  }
  const canonical: CanonicalException = {
    type: orAbsent(type),
    value: orAbsent(value),
    module: orAbsent(typed.module),
    thread_id: orAbsent(
      readLenientText(thread_id, { field: 'exception.thread_id', charactersMax: 64, notes }),
    ),
    mechanism:
      mechanism === undefined
        ? undefined
        : {
            ...boundObject(sentMechanism, smallBounds, { field: 'exception.mechanism', notes }),
            type: mechanism.type,
          },
    stacktrace: stack?.canonical,
  }
  return { typed, canonical }
}

const typeInValue = /^([A-Za-z_$][\w$.]{0,127}): (.*)$/s

function readTypeAndValue(
  object: JsonObject,
  mechanism: Mechanism | undefined,
  notes: Notes,
): { type: string; value: string } {
  const type = readText(object['type'], {
    field: 'exception.type',
    charactersMax: fieldCharactersMax.exceptionType,
    notes,
  })
  const value = readAnyText(object['value'], {
    field: 'exception.value',
    charactersMax: fieldCharactersMax.exceptionValue,
    notes,
  })
  // A made-up exception carries a message, and a word with a colon at its start is no class name.
  if (type !== '' || mechanism?.synthetic === true) return { type, value }
  const split = typeInValue.exec(value)
  return split === null ? { type, value } : { type: split[1] ?? '', value: split[2]?.trim() ?? '' }
}

function readMechanism(value: unknown, notes: Notes): Mechanism | undefined {
  if (value === undefined || value === null) return undefined
  const mechanism = readObject(value)
  if (mechanism === undefined) {
    notes.add('exception.mechanism', 'must be an object')
    return undefined
  }
  const { type, handled, synthetic, exception_id, parent_id, is_exception_group, meta } = mechanism
  const typeText = readText(type, {
    field: 'exception.mechanism.type',
    charactersMax: fieldCharactersMax.symbol,
    notes,
  })
  return {
    type: typeText === '' ? 'generic' : typeText,
    handled: readBoolean(handled),
    synthetic: synthetic === true,
    exceptionId: readInteger(exception_id),
    parentId: readInteger(parent_id),
    isExceptionGroup: is_exception_group === true,
    nsError: readNsError(readObject(meta)?.['ns_error'], notes),
  }
}

function readNsError(value: unknown, notes: Notes): Mechanism['nsError'] {
  const { domain, code } = readObject(value) ?? {}
  const rule = { field: 'exception.mechanism.meta.ns_error', charactersMax: 256, notes }
  const domainText = readText(domain, rule)
  if (domainText === '') return undefined
  return { domain: domainText, code: readLenientText(code, rule) }
}
