/**
 * Grouping algorithm g1: computes the hashes of an event and explains them. A pure function of the
 * normalised event: no clock, no I/O, no randomness, no locale. The first path with a result
 * decides; it gives at most two hashes, the one of the user's own frames first.
 *
 * A change of any hash, in this file or in any file and list it imports, must be meant: the
 * recorded corpus in test/fixtures/grouping shows it.
 */
import type { EventException, Frame, NormalizedEvent } from '../normalize/event.ts'
import { builtInFingerprint } from './built-in-fingerprint.ts'
import { coarsen, kindOf } from './coarse-grouping.ts'
import type { ChainedException, Evidence, Variant } from './evidence.ts'
import { readChain, withFrames } from './exception-chain.ts'
import { explainGrouping } from './explain/explain.ts'
import { explainOnce } from './explain/explain-once.ts'
import { resolveFingerprint } from './fingerprint-variables.ts'
import type { FrameContext } from './frames/frame-pieces.ts'
import { imageLookup } from './frames/native-frame.ts'
import { readStack } from './frames/read-stack.ts'
import type { Grouping, GroupingHash } from './grouping.ts'
import {
  type HashDomain,
  hashPieces,
  type Piece,
  type PieceKind,
  piece,
  samePieces,
} from './pieces.ts'
import type { GroupingRules, RuledEvent } from './rules/grouping-rules.ts'
import { resolveRule } from './rules/resolve-rule.ts'
import { ruleTitle } from './rules/rule-title.ts'
import { messageSource, messageText } from './text/message-text.ts'
import { culpritOf, titleEvent } from './title-event.ts'
import { newTrace, type Trace } from './trace.ts'

const frameKinds = new Set<PieceKind>(['module', 'file', 'function', 'context', 'address'])

/** @param rules those of the event's project; undefined when it has none */
export function groupEvent(sent: NormalizedEvent, rules?: GroupingRules): Grouping {
  return groupRuled(sent, rules?.apply(sent))
}

/** @param ruled what the rules of the project say about the event */
export function groupRuled(sent: NormalizedEvent, ruled: RuledEvent | undefined): Grouping {
  const event = ruled?.event ?? sent
  const context: FrameContext = {
    platform: event.platform,
    images: imageLookup(event.images),
    ruled: ruled?.frames,
  }
  const evidence = gather(event, context, ruled, undefined)
  const [first, ...others] = evidence.variants
  const hashes: [GroupingHash, ...GroupingHash[]] = [hashVariant(first)]
  for (const variant of others) hashes.push(hashVariant(variant))
  const grouping: Grouping = {
    algorithm: 'g1',
    path: evidence.path,
    hashes,
    title:
      ruleTitle({ event, main: evidence.main, frames: evidence.frames, context }, ruled) ??
      titleEvent(event, evidence.main, evidence.frames, context),
    culprit: culpritOf(event, evidence.frames, context),
    exceptionType: evidence.main?.type ?? '',
    explain: () =>
      explainOnce(event, evidence, hashes, () => {
        const trace = newTrace()
        return explainGrouping(gather(event, context, ruled, trace), hashes, trace)
      }),
    kind: () => kindOf(event, evidence),
    coarsen: () => coarsen(event, evidence, context, grouping),
  }
  return grouping
}

function hashVariant(variant: Variant): GroupingHash {
  return {
    variant: variant.name,
    hash: variant.given ?? hashPieces(variant.domain, variant.pieces),
  }
}

function gather(
  event: NormalizedEvent,
  context: FrameContext,
  ruled: RuledEvent | undefined,
  trace: Trace | undefined,
): Evidence {
  const chain = readChain(event.exceptions, context, trace)
  const main = chain.at(-1)?.exception
  const frames = framesOf(event, main)
  const subject = { event, main, frames, context }

  // A rule of the project comes first, then the fingerprint of the client.
  const rule = ruled?.fingerprint
  const fingerprint =
    rule === undefined ? resolveFingerprint(subject, trace) : resolveRule(subject, rule, trace)
  if (fingerprint.kind === 'custom') {
    const variants = single('fingerprint', 'custom', fingerprint.pieces)
    const path = rule === undefined ? 'fingerprint' : 'fingerprint-rule'
    return {
      path,
      basePath: path,
      ruled,
      variants,
      main,
      frames,
      exceptionCount: 0,
    }
  }
  const { path, variants } = findPath(event, chain, context, trace)
  const base: Evidence = {
    path,
    variants,
    basePath: path,
    ruled,
    main,
    frames,
    exceptionCount: chain.length,
  }
  return fingerprint.kind === 'hybrid' ? salt(base, fingerprint.pieces) : base
}

type Found = Pick<Evidence, 'path' | 'variants'>

function findPath(
  event: NormalizedEvent,
  chain: readonly ChainedException[],
  context: FrameContext,
  trace: Trace | undefined,
): Found {
  return (
    byChecksum(event) ??
    byBuiltIn(event, chain) ??
    byCapturedMessage(event, chain, trace) ??
    byExceptionStack(chain) ??
    byThread(event, chain, context, trace) ??
    byFrames(event, chain, context, trace) ??
    byExceptionValue(chain) ??
    bySecurityReport(event) ??
    byMessage(event, trace) ?? {
      path: 'fallback',
      variants: single('fallback', 'fallback', [piece('fallback', 'no grouping information')]),
    }
  )
}

function byChecksum({ checksum }: NormalizedEvent): Found | undefined {
  if (checksum === undefined || checksum === '') return undefined
  if (/^[0-9a-f]{32}$/i.test(checksum)) {
    const given = checksum.toLowerCase()
    const pieces = [piece('checksum', given)]
    const variant: Variant = { name: 'checksum', domain: 'custom', pieces, given, frameCount: 0 }
    return { path: 'checksum', variants: [variant] }
  }
  return {
    path: 'checksum',
    variants: single('hashed-checksum', 'custom', [piece('checksum', checksum)]),
  }
}

/** Errors of which neither the stack nor the message says what people call one problem. */
function byBuiltIn(event: NormalizedEvent, chain: readonly ChainedException[]): Found | undefined {
  const pieces = builtInFingerprint(event, chain.at(-1)?.exception)
  return pieces === undefined
    ? undefined
    : { path: 'built-in', variants: single('built-in', 'built-in', pieces) }
}

/**
 * Groups a captured message by its text, also when the SDK sends the stack of the call as a
 * synthetic exception. Otherwise all messages of one `log(text)` function would be one issue.
 */
function byCapturedMessage(
  event: NormalizedEvent,
  chain: readonly ChainedException[],
  trace: Trace | undefined,
): Found | undefined {
  const only = chain.length === 1 ? chain[0]!.exception : undefined
  if (only?.mechanism?.synthetic !== true || only.type !== '') return undefined
  return byMessage(event, trace)
}

function byExceptionStack(chain: readonly ChainedException[]): Found | undefined {
  if (!chain.some(({ stack }) => stack.system.length > 0)) return undefined
  const appFrameCount = sum(chain, ({ stack }) => stack.app.length)
  const system = byWeight(chain, (entry) => entry.system)
  const app = byWeight(chain, (entry) => entry.app)
  // A minified stack whose file is unknown says no more than no stack at all.
  if (!system.some(isOfFrame) && !app.some(isOfFrame)) return undefined
  const systemFrameCount = sum(chain, ({ stack }) => stack.system.length)
  return {
    path: chain.at(-1)?.stack.minified === true ? 'minified' : 'exception-stack',
    variants: stackVariants({ app, appFrameCount, system, systemFrameCount }),
  }
}

/**
 * Uses the crashed thread, else the current one, else the only one. Several candidates give no
 * result.
 */
function byThread(
  event: NormalizedEvent,
  chain: readonly ChainedException[],
  context: FrameContext,
  trace: Trace | undefined,
): Found | undefined {
  const frames = threadFrames(event)
  return frames === undefined
    ? undefined
    : byLooseStack('thread-stack', frames, chain, context, trace)
}

function byFrames(
  event: NormalizedEvent,
  chain: readonly ChainedException[],
  context: FrameContext,
  trace: Trace | undefined,
): Found | undefined {
  return byLooseStack('stack', event.frames, chain, context, trace)
}

/** Groups by a stack that belongs to no exception; the types of the exceptions are still used. */
function byLooseStack(
  path: 'thread-stack' | 'stack',
  frames: readonly Frame[],
  chain: readonly ChainedException[],
  context: FrameContext,
  trace: Trace | undefined,
): Found | undefined {
  const stack = readStack(frames, context, trace)
  if (stack.system.length === 0) return undefined
  const types = byWeight(chain, ({ system }) => system.filter(({ kind }) => kind !== 'value'))
  return {
    path,
    variants: stackVariants({
      app: withFrames(types, stack.app),
      appFrameCount: stack.app.length,
      system: withFrames(types, stack.system),
      systemFrameCount: stack.system.length,
    }),
  }
}

/** The exception that was thrown comes before its causes. */
function byWeight(
  chain: readonly ChainedException[],
  piecesOf: (entry: ChainedException) => readonly Piece[],
): readonly Piece[] {
  return chain.length === 1 ? piecesOf(chain[0]!) : chain.toReversed().flatMap(piecesOf)
}

function isOfFrame({ kind }: Piece): boolean {
  return frameKinds.has(kind)
}

function byExceptionValue(chain: readonly ChainedException[]): Found | undefined {
  const pieces = byWeight(chain, ({ system }) => system)
  if (pieces.length === 0) return undefined
  return { path: 'exception-value', variants: single('default', 'value', pieces) }
}

function bySecurityReport({ securityReport }: NormalizedEvent): Found | undefined {
  if (securityReport === undefined) return undefined
  const { directive, blockedHost } = securityReport
  if (directive === '' && blockedHost === '') return undefined
  const pieces = [piece('directive', directive), piece('blocked-host', blockedHost)]
  return { path: 'security', variants: single('default', 'security', pieces) }
}

function byMessage(event: NormalizedEvent, trace: Trace | undefined): Found | undefined {
  const text = messageText(messageSource(event.message), trace)
  if (text === '') return undefined
  return { path: 'message', variants: single('default', 'message', [piece('message', text)]) }
}

interface StackPieces {
  readonly app: readonly Piece[]
  readonly appFrameCount: number
  readonly system: readonly Piece[]
  readonly systemFrameCount: number
}

/** Returns one variant when both would be equal, or when no frame is the user's own. */
function stackVariants(stack: StackPieces): Evidence['variants'] {
  const app = stackVariant('app', stack.app, stack.appFrameCount)
  const system = stackVariant('system', stack.system, stack.systemFrameCount)
  if (stack.appFrameCount === 0) return [system]
  return samePieces(stack.app, stack.system) ? [app] : [app, system]
}

function stackVariant(name: string, pieces: readonly Piece[], frameCount: number): Variant {
  return { name, domain: 'stack', pieces, given: undefined, frameCount }
}

function single(name: string, domain: HashDomain, pieces: readonly Piece[]): [Variant] {
  return [{ name, domain, pieces, given: undefined, frameCount: 0 }]
}

/** A hybrid fingerprint adds values of the client, or of a rule, to normal grouping. */
function salt(base: Evidence, pieces: readonly Piece[]): Evidence {
  const salted = (variant: Variant): Variant => ({
    ...variant,
    pieces: [...pieces, ...variant.pieces],
    given: undefined,
  })
  const [first, ...others] = base.variants
  const isRule = base.ruled?.fingerprint !== undefined
  return {
    ...base,
    path: isRule ? 'hybrid-fingerprint-rule' : 'hybrid-fingerprint',
    variants: [salted(first), ...others.map(salted)],
  }
}

function threadFrames({ threads }: NormalizedEvent): readonly Frame[] | undefined {
  if (threads.length === 0) return undefined
  const crashed = threads.filter((thread) => thread.crashed)
  if (crashed.length > 0) return crashed.length === 1 ? crashed[0]!.frames : undefined
  const current = threads.filter((thread) => thread.current)
  if (current.length > 0) return current.length === 1 ? current[0]!.frames : undefined
  return threads.length === 1 ? threads[0]!.frames : undefined
}

function framesOf(event: NormalizedEvent, main: EventException | undefined): readonly Frame[] {
  if (main !== undefined && main.frames.length > 0) return main.frames
  const frames = threadFrames(event)
  return frames !== undefined && frames.length > 0 ? frames : event.frames
}

function sum(
  chain: readonly ChainedException[],
  amount: (entry: ChainedException) => number,
): number {
  return chain.reduce((total, entry) => total + amount(entry), 0)
}
