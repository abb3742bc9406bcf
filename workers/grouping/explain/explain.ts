/**
 * Explains why events are in one issue: what was hashed, what was left out and why, and one or two
 * sentences for people. The pieces are exactly those that were hashed, in the order of their
 * weight: two events with one hash show the same pieces, and with two hashes they differ. It
 * contains only what was hashed, so no id, address or name that was replaced appears in it.
 */

import type { Evidence, GroupingPath } from '../evidence.ts'
import { count } from '../frames/read-stack.ts'
import type { ExplainedVariant, GroupingExplanation, GroupingHash } from '../grouping.ts'
import { nameRule } from '../rules/ruled-frame.ts'
import { piecesShownMax, showPieces } from '../shown-pieces.ts'
import { cutText } from '../text/cut-text.ts'
import type { Trace } from '../trace.ts'
import { otherwise } from './explain-otherwise.ts'

const skippedMax = 20
const shownUnitsMax = 512
const rulesShownMax = 20

export function explainGrouping(
  evidence: Evidence,
  hashes: readonly GroupingHash[],
  trace: Trace,
): GroupingExplanation {
  const notes = [...trace.notes]
  if (evidence.ruled?.isComplete === false) {
    notes.push('the rules of the project take too long for this event: some were not tried')
  }
  if (trace.foldedFrameCount > 0) {
    notes.push(`${count(trace.foldedFrameCount, 'recursive frame')} folded`)
  }
  const variants = evidence.variants.map((variant, index): ExplainedVariant => {
    if (variant.pieces.length > piecesShownMax) {
      notes.push(
        `${variant.name}: the first ${piecesShownMax - 1} of ${variant.pieces.length} pieces are shown`,
      )
    }
    return {
      name: variant.name,
      hash: hashes[index]!.hash,
      pieces: showPieces(variant.pieces),
      skipped: skippedOf(evidence, variant.name, trace),
    }
  })
  return {
    algorithm: 'g1',
    path: evidence.path,
    summary: summarize(evidence, trace),
    otherwise: otherwise(evidence, trace),
    variants,
    replaced: usesText(evidence)
      ? [...trace.replaced].map(([kind, count]) => ({ kind, count }))
      : [],
    rules: [...rulesUsed(evidence), ...trace.rules],
    notes,
  }
}

function skippedOf(
  evidence: Evidence,
  variantName: string,
  trace: Trace,
): ExplainedVariant['skipped'] {
  if (evidence.path === 'fingerprint-rule') {
    return [{ what: 'stack trace and message', why: 'a fingerprint rule of the project decides' }]
  }
  if (evidence.path === 'fingerprint' || evidence.basePath === 'checksum') {
    return [{ what: 'stack trace and message', why: 'the client decides by its own value' }]
  }
  return trace.skipped
    .filter(({ variant }) => variant === 'all' || variant === variantName)
    .slice(0, skippedMax)
    .map(({ what, why }) => ({
      what: cutText(what, shownUnitsMax),
      why: cutText(why, shownUnitsMax),
    }))
}

/** Replaced parts are listed only when the text that they were in was used. */
function usesText(evidence: Evidence): boolean {
  return evidence.variants.some(({ pieces }) =>
    pieces.some(({ kind }) => kind === 'value' || kind === 'message' || kind === 'fingerprint'),
  )
}

function summarize(evidence: Evidence, trace: Trace): string {
  const grouped = `Grouped by ${subjectOf(evidence.basePath, evidence, trace)}`
  const salted = saltOf(evidence)
  const ignored = ignoredParts(evidence, trace)
  return `${grouped}${salted}.${ignored === '' ? '' : ` ${ignored} ignored.`}`
}

function saltOf({ path, ruled }: Evidence): string {
  if (path === 'hybrid-fingerprint') return ', together with the fingerprint the client added'
  if (path !== 'hybrid-fingerprint-rule') return ''
  return `, together with what ${ruleOf(ruled)} adds`
}

function ruleOf(ruled: Evidence['ruled']): string {
  return `the project's fingerprint rule in line ${ruled?.fingerprint?.line ?? 0}`
}

/** Each with its text, because the rules of the project may be others by now. */
function rulesUsed({ ruled }: Evidence): readonly string[] {
  return (ruled?.matched ?? [])
    .slice(-rulesShownMax)
    .map(({ kind, line, source }) => cutText(`${nameRule(kind, line)}: ${source}`, shownUnitsMax))
}

function subjectOf(path: GroupingPath, evidence: Evidence, trace: Trace): string {
  switch (path) {
    case 'fingerprint':
    case 'hybrid-fingerprint':
      return 'the fingerprint that the client set; the stack trace and the message do not matter'
    case 'fingerprint-rule':
    case 'hybrid-fingerprint-rule':
      return `${ruleOf(evidence.ruled)}; the stack trace and the message do not matter`
    case 'checksum':
      return 'the checksum that the client set'
    case 'built-in':
      return builtInSubject(evidence)
    case 'exception-stack':
      return `${typesOf(evidence)} and ${framesUsed(evidence)}`
    case 'minified':
      return `${typesOf(evidence)}, the message${replacedPart(trace)} and the file of the crash frame, since the script is minified and has no source map`
    case 'thread-stack':
      return `${typesIfAny(evidence)}${framesUsed(evidence)} of the thread that failed`
    case 'stack':
      return `${typesIfAny(evidence)}${framesUsed(evidence)}`
    case 'exception-value':
      return `${typesOf(evidence)} and the message${replacedPart(trace)}, since there is no usable stack trace`
    case 'security':
      return 'the violated directive and the blocked host'
    case 'message':
      return `the message${replacedPart(trace)}`
    case 'fallback':
      return 'nothing but the project: the event has no grouping information'
  }
}

function builtInSubject({ variants: [{ pieces }] }: Evidence): string {
  const isHydration = pieces[0]?.value === 'hydration-error'
  if (!isHydration) {
    return 'a built-in rule for parts of the program that could not be loaded; the stack trace and the message change with every build and do not matter'
  }
  const page = pieces.some(({ kind }) => kind === 'transaction') ? ' and the page' : ''
  return `a built-in rule for pages whose HTML does not match what the client renders: the kind of mismatch${page}; the stack trace does not matter`
}

function typesOf({ exceptionCount }: Evidence): string {
  return exceptionCount > 1
    ? `the types of ${exceptionCount} chained exceptions`
    : 'the exception type'
}

function typesIfAny(evidence: Evidence): string {
  return evidence.exceptionCount === 0 ? '' : `${typesOf(evidence)} and `
}

function framesUsed({ variants: [first] }: Evidence): string {
  return count(first.frameCount, first.name === 'app' ? 'in-app frame' : 'frame')
}

function replacedPart(trace: Trace): string {
  return trace.replaced.size === 0 ? '' : ' with its variable parts replaced'
}

function ignoredParts({ basePath, variants }: Evidence, trace: Trace): string {
  if (basePath !== 'exception-stack' && basePath !== 'thread-stack' && basePath !== 'stack')
    return ''
  const parts = ['Line numbers']
  if (trace.messageIgnored) parts.push('the message')
  if (variants[0].name === 'app' && trace.libraryFrameCount > 0) {
    parts.push(count(trace.libraryFrameCount, 'library frame'))
  }
  const last = parts.pop()!
  return parts.length === 0 ? `${last} were` : `${parts.join(', ')} and ${last} were`
}
