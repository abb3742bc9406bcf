/**
 * Matches fingerprint rules with an event. All matchers of a rule must hold: those of exceptions
 * for one exception, those of frames for one frame. A negated matcher holds when nothing in the
 * event matches it.
 */
import type { FingerprintPart, FingerprintRule } from '#schemas/grouping/parse-fingerprint-rules.ts'
import { type CompiledMatcher, compileMatcher, isEventOfFamily } from './compile-matcher.ts'
import type { EventView } from './event-view.ts'
import type { RuleBudget } from './rule-budget.ts'

export interface CompiledFingerprintRule {
  readonly line: number
  readonly source: string
  readonly parts: readonly FingerprintPart[]
  readonly title: readonly FingerprintPart[] | undefined
  readonly onEvent: readonly CompiledMatcher[]
  readonly onException: readonly CompiledMatcher[]
  readonly onFrame: readonly CompiledMatcher[]
  readonly negated: readonly CompiledMatcher[]
}

export function compileFingerprintRule(rule: FingerprintRule): CompiledFingerprintRule {
  const matchers = rule.matchers.map(compileMatcher)
  const positive = matchers.filter(({ isNegated }) => !isNegated)
  const { line, source, parts, title } = rule
  return {
    line,
    source,
    parts,
    title,
    onEvent: positive.filter(({ kind }) => kind === 'event' || kind === 'family'),
    onException: positive.filter(({ kind }) => kind === 'exception'),
    onFrame: positive.filter(({ kind }) => kind === 'frame'),
    negated: matchers.filter(({ isNegated }) => isNegated),
  }
}

export function matchesRule(
  { onEvent, onException, onFrame, negated }: CompiledFingerprintRule,
  view: EventView,
  budget: RuleBudget,
): boolean {
  return (
    onEvent.every((matcher) => holds([matcher], view, budget)) &&
    (onException.length === 0 || holds(onException, view, budget)) &&
    (onFrame.length === 0 || holds(onFrame, view, budget)) &&
    negated.every((matcher) => !holds([matcher], view, budget)) &&
    !budget.isSpent
  )
}

/** Whether one thing in the event, of those that the matchers look at, matches all of them. */
function holds(matchers: readonly CompiledMatcher[], view: EventView, budget: RuleBudget): boolean {
  switch (matchers[0]!.kind) {
    case 'event':
    case 'family':
      return matchers.every((matcher) =>
        matcher.kind === 'family'
          ? isEventOfFamily(matcher.globs, view.event)
          : matcher.kind === 'event' && matcher.test(view, budget),
      )
    case 'exception':
      return view.exceptions.some((exception) =>
        matchers.every((each) => each.kind === 'exception' && each.test(exception, budget)),
      )
    case 'frame':
      return view.stacks.some(({ frames }) =>
        frames.some((frame) =>
          matchers.every((each) => each.kind === 'frame' && each.test(frame, budget)),
        ),
      )
  }
}
