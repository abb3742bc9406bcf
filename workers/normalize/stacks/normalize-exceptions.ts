/** The chain of exceptions, oldest cause first; the last one reached the client's handler. */
import { exceptionsPerEventMax } from '#schemas/limits.ts'
import type { Draft } from '../draft.ts'
import type { EventException, Mechanism } from '../event.ts'
import { fieldCharactersMax, smallBounds } from '../field-limits.ts'
import { orAbsent, type StoredException, type StoredFrame } from '../stored-event.ts'
import { boundObject } from '../values/bound-value.ts'
import { noteCutText } from '../values/mark-cut-texts.ts'
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
import { framesToCrash } from './frames-to-crash.ts'
import { readStack, type StackContext } from './normalize-frames.ts'

export function normalizeExceptions({ sent, notes, event, stored, cutTexts }: Draft): void {
  const context = { platform: event.platform, notes }
  const read: ReadException[] = []
  for (const object of keptExceptions(readValues(sent.exception, 'exception', notes), notes)) {
    const one = readException(object, context)
    if (one === undefined) {
      notes.add('exception.values', 'dropped: no type, value, frames or error code')
    } else {
      const path = ['exception', 'values', String(read.length), 'value']
      noteCutText(cutTexts, path, object['value'], fieldCharactersMax.exceptionValue)
      read.push(one)
    }
  }

  let ownStack = readStack(sent.stacktrace, context)
  const [only] = read
  if (only !== undefined && read.length === 1 && only.stored.stacktrace === undefined && ownStack) {
    // Old clients send one exception with its stack beside it.
    read[0] = {
      exception: { ...only.exception, frames: framesToCrash(ownStack) },
      stored: { ...only.stored, stacktrace: ownStack },
    }
    ownStack = undefined
  }
  event.exceptions = read.map(({ exception }) => exception)
  event.frames = framesToCrash(ownStack)
  stored.stacktrace = ownStack
  if (read.length > 0) stored.exception = { values: read.map((one) => one.stored) }
}

/** If there are too many exceptions, the newest and the root cause are kept. */
function keptExceptions(sent: readonly JsonObject[], notes: Notes): readonly JsonObject[] {
  if (sent.length <= exceptionsPerEventMax) return sent
  notes.add('exception', `cut to ${exceptionsPerEventMax} exceptions`)
  return [...sent.slice(0, 1), ...sent.slice(1 - exceptionsPerEventMax)]
}

interface ReadException {
  readonly exception: EventException
  readonly stored: StoredException
}

function readException(object: JsonObject, context: StackContext): ReadException | undefined {
  const { notes } = context
  const { module, thread_id, mechanism: sentMechanism, stacktrace, raw_stacktrace } = object
  const mechanism = readMechanism(sentMechanism, notes)
  const { type, value } = readTypeAndValue(object, mechanism, notes)
  const stack = readStack(stacktrace, context)
  const isNamed = type !== '' || value !== '' || mechanism?.nsError !== undefined
  const hasFrames = stack?.frames.some(saysSomething) ?? false
  if (!isNamed && !hasFrames && mechanism?.signal === undefined) return undefined

  const exception: EventException = {
    type,
    value,
    module: readText(module, {
      field: 'exception.module',
      charactersMax: fieldCharactersMax.symbol,
      notes,
    }),
    frames: framesToCrash(stack),
    mechanism,
  }
  const stored: StoredException = {
    type: orAbsent(type),
    value: orAbsent(value),
    module: orAbsent(exception.module),
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
    stacktrace: stack,
    raw_stacktrace: readStack(raw_stacktrace, context),
  }
  return { exception, stored }
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
  // A synthetic exception carries a message, whose first word before a colon is no class name.
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
    signal: readSignal(readObject(meta), notes),
  }
}

function saysSomething(frame: StoredFrame): boolean {
  return (
    (frame.function ??
      frame.module ??
      frame.abs_path ??
      frame.package ??
      frame.instruction_addr) !== undefined
  )
}

/** The names that the client found, else the numbers. */
function readSignal(meta: JsonObject | undefined, notes: Notes): Mechanism['signal'] {
  if (meta === undefined) return undefined
  const rule = { field: 'exception.mechanism.meta', charactersMax: 64, notes }
  const signal = readObject(meta['signal'])
  const mach = readObject(meta['mach_exception'])
  const named = readText(signal?.['name'], rule) || readText(mach?.['name'], rule)
  const number = readLenientText(signal?.['number'] ?? mach?.['exception'], rule)
  const name = named === '' && number !== '' ? `signal ${number}` : named
  if (name === '') return undefined
  // Beside a signal, the Mach exception has the more exact code. Its subcode is an address.
  const code =
    readText(signal?.['code_name'], rule) ||
    readLenientText(mach?.['code'], rule) ||
    readLenientText(signal?.['code'], rule)
  return { name, code: code.length <= 16 ? code : '' }
}

function readNsError(value: unknown, notes: Notes): Mechanism['nsError'] {
  const { domain, code } = readObject(value) ?? {}
  const rule = { field: 'exception.mechanism.meta.ns_error', charactersMax: 256, notes }
  const domainText = readText(domain, rule)
  if (domainText === '') return undefined
  return { domain: domainText, code: readLenientText(code, rule) }
}
