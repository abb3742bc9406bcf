/**
 * The exceptions of one event as an ordered chain, each with its pieces. A group (several errors
 * thrown as one) becomes a chain that does not depend on the order in which its members finished;
 * wrappers that add nothing are folded. Part of g1: a change of any hash must be meant.
 */
import type { EventException } from '../normalize/event.ts'
import type { ChainedException } from './evidence.ts'
import { orderExceptionTree } from './exception-tree.ts'
import { qualifiedType } from './exception-type.ts'
import { appendFramePieces, type FrameContext, type FrameName } from './frames/frame-pieces.ts'
import { readStack } from './frames/read-stack.ts'
import { type Piece, piece, samePieces } from './pieces.ts'
import { cutText } from './text/cut-text.ts'
import { messageText } from './text/message-text.ts'
import { type Trace, traceSkip } from './trace.ts'

const exceptionsMax = 10
const typeUnitsMax = 256

export function readChain(
  exceptions: readonly EventException[],
  context: FrameContext,
  trace: Trace | undefined,
): readonly ChainedException[] {
  if (exceptions.length === 1) return [readException(exceptions[0]!, context, trace)]

  const read = exceptions.map((exception) => readException(exception, context, trace))
  const ordered = orderExceptionTree(read)
  if (trace && ordered.length < read.length) {
    trace.notes.add('an exception group is represented by its distinct members')
  }
  const folded = ordered.filter((entry, index) => {
    const before = ordered[index - 1]
    return (
      before === undefined ||
      !samePieces(before.app, entry.app) ||
      !samePieces(before.system, entry.system)
    )
  })
  if (trace && folded.length < ordered.length)
    trace.notes.add('exceptions that were only thrown on are folded')
  if (folded.length <= exceptionsMax) return folded
  trace?.notes.add(`only the root cause and the ${exceptionsMax - 1} newest exceptions are used`)
  return [folded[0]!, ...folded.slice(1 - exceptionsMax)]
}

function readException(
  exception: EventException,
  context: FrameContext,
  trace: Trace | undefined,
): ChainedException {
  const stack = readStack(exception.frames, context, trace)
  const base: Piece[] = []
  const { mechanism } = exception
  if (mechanism?.synthetic === true) {
    if (trace && exception.type !== '')
      traceSkip(trace, 'all', 'type', 'the client made it up (synthetic)')
  } else if (exception.type !== '') {
    base.push(piece('type', qualifiedType(exception, context.platform)))
  }
  const nsError = mechanism?.nsError
  if (nsError !== undefined) {
    base.push(piece('ns-domain', cutText(nsError.domain, typeUnitsMax)))
    base.push(piece('ns-code', cutText(nsError.code, typeUnitsMax)))
  }
  // The system's frames alone are the same for a bad access and for a division by zero.
  const signal = mechanism?.signal
  if (signal !== undefined && stack.app.length === 0) {
    base.push(piece('signal', `${signal.name} ${signal.code}`.trimEnd()))
  }
  const hasStack = stack.system.length > 0
  if (hasStack && !stack.minified) {
    if (trace && exception.value !== '') {
      trace.messageIgnored = true
      traceSkip(trace, 'all', 'value', 'a stack trace contributes')
    }
    return {
      exception,
      stack,
      app: withFrames(base, stack.app),
      system: withFrames(base, stack.system),
    }
  }
  // Domain and code already identify such an error, so its text is not used.
  const value = nsError === undefined ? messageText(exception.value, trace) : ''
  if (value !== '') base.push(piece('value', value))
  if (stack.minified) {
    trace?.notes.add('minified, no source map: only the file of the crash frame is used')
    const crash = stack.app[0] ?? stack.system[0]!
    if (crash.file !== '') base.push(piece('file', crash.file))
  }
  return { exception, stack, app: base, system: base }
}

/** The list is frozen and always the same for a shared stack with the same other pieces. */
export function withFrames(base: readonly Piece[], frames: readonly FrameName[]): readonly Piece[] {
  if (!Object.isFrozen(frames)) return allPieces(base, frames)
  let known = knownPieces.get(frames)
  if (known === undefined) {
    known = new Map()
    knownPieces.set(frames, known)
  }
  const key = keyOf(base)
  let pieces = known.get(key)
  if (pieces === undefined) {
    pieces = Object.freeze(allPieces(base, frames))
    if (known.size >= basesPerStackMax) known.clear()
    known.set(key, pieces)
  }
  return pieces
}

/** Most often there is one piece, and its own text is the key that is found fastest. */
function keyOf(base: readonly Piece[]): string {
  if (base.length === 1 && base[0]!.kind === 'type') return base[0]!.value
  let key = '\0'
  for (const { kind, value } of base) key += `${kind} ${value.length} ${value}`
  return key
}

const basesPerStackMax = 16
const knownPieces = new WeakMap<readonly FrameName[], Map<string, readonly Piece[]>>()

function allPieces(base: readonly Piece[], frames: readonly FrameName[]): readonly Piece[] {
  const pieces = [...base]
  for (const frame of frames) appendFramePieces(pieces, frame)
  return pieces
}
