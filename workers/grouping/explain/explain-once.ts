/**
 * Keeps the explanations of shared stacks (normalize/known-frames): each range explains each of its
 * issues, and explaining a deep stack costs as much as digesting a small event.
 */

import type { NormalizedEvent } from '../../normalize/event.ts'
import type { Evidence } from '../evidence.ts'
import type { GroupingExplanation, GroupingHash } from '../grouping.ts'

/** Of one stack: exceptions of several types may be thrown at one place. */
const explanationsPerStackMax = 16
const kept = new WeakMap<object, Map<string, GroupingExplanation>>()

export function explainOnce(
  event: NormalizedEvent,
  evidence: Evidence,
  hashes: readonly GroupingHash[],
  explain: () => GroupingExplanation,
): GroupingExplanation {
  if (!dependsOnStackAlone(event, evidence)) return explain()
  const { frames, value, mechanism } = event.exceptions[0]!
  let ofStack = kept.get(frames)
  if (ofStack === undefined) {
    ofStack = new Map()
    kept.set(frames, ofStack)
  }
  // The hashes stand for the pieces. Of the message, it only matters whether there was one.
  const key = JSON.stringify([event.platform, hashes, value === '', mechanism])
  let explanation = ofStack.get(key)
  if (explanation === undefined) {
    explanation = explain()
    if (ofStack.size >= explanationsPerStackMax) ofStack.clear()
    ofStack.set(key, explanation)
  }
  return explanation
}

/** Besides what the key of `explainOnce` names. */
function dependsOnStackAlone(
  { exceptions, fingerprint, images }: NormalizedEvent,
  { path, ruled }: Evidence,
): boolean {
  return (
    path === 'exception-stack' &&
    exceptions.length === 1 &&
    Object.isFrozen(exceptions[0]!.frames) &&
    fingerprint === undefined &&
    images.length === 0 &&
    ruled === undefined
  )
}
