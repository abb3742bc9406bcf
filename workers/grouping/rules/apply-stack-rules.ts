/**
 * Applies the stack-trace rules of a project to a stack: whether frames are the user's own, and
 * whether they are used for grouping. Rules are applied one after the other to all frames, so that
 * a later one sees what an earlier one decided, and wins.
 */
import type { StackAction, StackTraceRule } from '#schemas/grouping/parse-stack-trace-rules.ts'
import type { RuleMatcher } from '#schemas/grouping/rule-matcher.ts'
import { type CompiledMatcher, compileMatcher, isOfFamily } from './compile-matcher.ts'
import type { FrameView, StackView } from './event-view.ts'
import type { RuleBudget } from './rule-budget.ts'

export interface CompiledStackRule {
  readonly line: number
  readonly source: string
  readonly matchers: readonly CompiledMatcher[]
  readonly caller: readonly CompiledMatcher[]
  readonly callee: readonly CompiledMatcher[]
  readonly actions: readonly StackAction[]
}

export function compileStackRule(rule: StackTraceRule): CompiledStackRule {
  const compiled = (matchers: readonly RuleMatcher[]) => matchers.map(compileMatcher)
  return {
    ...rule,
    matchers: compiled(rule.matchers),
    caller: compiled(rule.caller),
    callee: compiled(rule.callee),
  }
}

/** Returns whether the rule matched a frame. */
export function applyStackRule(
  rule: CompiledStackRule,
  stack: StackView,
  budget: RuleBudget,
): boolean {
  const { frames } = stack
  let hasMatched = false
  for (const [index, view] of frames.entries()) {
    if (budget.isSpent) break
    if (!allMatch(rule.matchers, view, stack, budget)) continue
    if (rule.caller.length > 0 && !allMatch(rule.caller, frames[index - 1], stack, budget)) continue
    if (rule.callee.length > 0 && !allMatch(rule.callee, frames[index + 1], stack, budget)) continue
    hasMatched = true
    for (const action of rule.actions) {
      budget.spend(perform(action, rule.line, frames, index))
    }
  }
  return hasMatched
}

function allMatch(
  matchers: readonly CompiledMatcher[],
  view: FrameView | undefined,
  { exception }: StackView,
  budget: RuleBudget,
): boolean {
  if (view === undefined) return false
  for (const matcher of matchers) {
    let isMatch = false
    if (matcher.kind === 'frame') isMatch = matcher.test(view, budget)
    else if (matcher.kind === 'family') {
      budget.spend(1)
      isMatch = isOfFamily(matcher.globs, view.platform)
    } else if (matcher.kind === 'exception') {
      isMatch = exception !== undefined && matcher.test(exception, budget)
    }
    // Without a budget nothing is known, so neither does a negated matcher hold.
    if (isMatch === matcher.isNegated || budget.isSpent) return false
  }
  return true
}

/** Returns to how many frames it was done. */
function perform(
  { what, value, where }: StackAction,
  line: number,
  frames: readonly FrameView[],
  index: number,
): number {
  const start = where === 'frame' ? index : where === 'called' ? index + 1 : 0
  const end = where === 'frame' ? index + 1 : where === 'called' ? frames.length : index
  for (let at = start; at < end; at++) {
    const view = frames[at]!
    view.ruled ??= { inApp: undefined, inAppLine: 0, isGrouped: undefined, groupLine: 0 }
    if (what === 'app') {
      view.ruled.inApp = value
      view.ruled.inAppLine = line
    } else {
      view.ruled.isGrouped = value
      view.ruled.groupLine = line
    }
  }
  return end - start
}
