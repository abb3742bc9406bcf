/**
 * Resolves the client's fingerprint: each element is a text, or one variable in double braces. A
 * variable without a value becomes a marker that names it, because an empty text would merge
 * unrelated events. Resolving belongs to the prefix `fp` and not to an algorithm: once shipped it
 * must not change at all.
 */
import type { EventException, Frame, NormalizedEvent } from '../normalize/event.ts'
import { baseName } from './frames/clean-file.ts'
import type { FrameContext } from './frames/frame-pieces.ts'
import { hashPieces, type Piece, type PieceKind, piece } from './pieces.ts'
import { tagValue } from './rules/tag-value.ts'
import { messageSource, messageText } from './text/message-text.ts'
import { crashFrame } from './title-event.ts'
import type { Trace } from './trace.ts'

export interface Fingerprint {
  readonly kind: 'default' | 'hybrid' | 'custom'
  /** The elements other than the default, resolved. */
  readonly pieces: readonly Piece[]
}

export interface FingerprintSubject {
  readonly event: NormalizedEvent
  readonly main: EventException | undefined
  readonly frames: readonly Frame[]
  readonly context: FrameContext
}

const elementsMax = 64
const variable = /^\{\{\s{0,16}([^\s{}]{1,200})\s{0,16}\}\}$/
const defaults: Fingerprint = { kind: 'default', pieces: [] }

export function resolveFingerprint(
  subject: FingerprintSubject,
  trace: Trace | undefined,
): Fingerprint {
  const elements = subject.event.fingerprint
  if (elements === undefined || elements.length === 0) return defaults

  let hasDefault = false
  const pieces: Piece[] = []
  for (const element of elements.slice(0, elementsMax)) {
    const name = variable.exec(element.trim())?.[1]
    if (name === 'default') hasDefault = true
    else if (name === undefined) pieces.push(literalPiece(subject, element, trace))
    else pieces.push(variablePiece(subject, name, trace))
  }
  if (pieces.length === 0) return defaults
  return { kind: hasDefault ? 'hybrid' : 'custom', pieces }
}

/** Many clients send the message itself, whose ids would split their issues. */
function literalPiece(subject: FingerprintSubject, text: string, trace: Trace | undefined): Piece {
  const { main, event } = subject
  const isMessage = text !== '' && (text === main?.value || text === event.message?.formatted)
  return piece('fingerprint', isMessage ? messageText(text, trace) : text)
}

export function variablePiece(
  subject: FingerprintSubject,
  name: string,
  trace: Trace | undefined,
): Piece {
  if (name.startsWith('tags.')) return tagPiece(subject.event, name)
  const read = variables.get(name)
  if (read === undefined) return piece('fingerprint-unknown', name)
  const value = read.value(subject, trace)
  return value === '' ? piece('fingerprint-missing', read.name) : piece('fingerprint', value)
}

/** A tag may hold personal data, so explanations show a digest that distinguishes values. */
function tagPiece(event: NormalizedEvent, name: string): Piece {
  const key = name.slice('tags.'.length)
  const value = tagValue(event, key)
  if (value === '') return piece('fingerprint-missing', name)
  const digest = hashPieces('custom', [piece('fingerprint', value)]).slice(0, 8)
  const kind: PieceKind = 'fingerprint'
  return { kind, value, shown: `{{ ${name} }} #${digest}` }
}

interface Variable {
  readonly name: string
  readonly value: (subject: FingerprintSubject, trace: Trace | undefined) => string
}

const variables: ReadonlyMap<string, Variable> = new Map(
  [
    define(['transaction'], ({ event }) => event.transaction),
    define(['message'], ({ event, main }, trace) =>
      messageText(messageSource(event.message) || main?.value || '', trace),
    ),
    define(['level'], ({ event }) => event.level),
    define(['logger'], ({ event }) => event.logger),
    define(['error.type', 'type'], ({ main }) => main?.type ?? ''),
    define(['error.value', 'value'], ({ main }, trace) => messageText(main?.value ?? '', trace)),
    define(['stack.function', 'function'], (subject) => {
      const found = crash(subject)
      return found?.name.actionKind === 'function' ? found.name.action : ''
    }),
    define(['stack.module', 'module'], (subject) => crash(subject)?.frame.module ?? ''),
    define(['stack.abs_path', 'path'], (subject) => {
      const frame = crash(subject)?.frame
      return frame?.abs_path ?? frame?.filename ?? ''
    }),
    define(['stack.filename'], (subject) => crash(subject)?.frame.filename ?? ''),
    define(['stack.package', 'package'], (subject) =>
      baseName(crash(subject)?.frame.package ?? ''),
    ),
  ].flat(),
)

function define(
  names: readonly [string, ...string[]],
  value: Variable['value'],
): (readonly [string, Variable])[] {
  return names.map((name) => [name, { name: names[0], value }] as const)
}

function crash(subject: FingerprintSubject): ReturnType<typeof crashFrame> {
  return crashFrame(subject.frames, subject.context)
}
