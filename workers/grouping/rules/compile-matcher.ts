/** Compiles the matchers of grouping rules. Negation is up to the caller. */
import type { FrameKey, RuleMatcher } from '#schemas/grouping/rule-matcher.ts'
import type { NormalizedEvent } from '../../normalize/event.ts'
import { platformFamily } from '../frames/platform-family.ts'
import { type EventView, type ExceptionView, type FrameView, lowered } from './event-view.ts'
import type { RuleBudget } from './rule-budget.ts'
import { compileRuleGlob } from './rule-glob.ts'
import { tagValue } from './tag-value.ts'

type Test<Subject> = (subject: Subject, budget: RuleBudget) => boolean

/** A matcher by what it looks at. */
export type CompiledMatcher = { readonly isNegated: boolean } & (
  | { readonly kind: 'frame'; readonly test: Test<FrameView> }
  | { readonly kind: 'exception'; readonly test: Test<ExceptionView> }
  | { readonly kind: 'event'; readonly test: Test<EventView> }
  | { readonly kind: 'family'; readonly globs: readonly string[] }
)

export function compileMatcher({ subject, isNegated, globs }: RuleMatcher): CompiledMatcher {
  const glob = (isPath = false) => compileRuleGlob(globs[0]!, isPath)
  switch (subject.kind) {
    case 'family':
      return { kind: 'family', isNegated, globs }
    case 'frame':
      return { kind: 'frame', isNegated, test: frameTest(subject.key, globs[0]!) }
    case 'exception': {
      const { key } = subject
      const matches = glob()
      const test: Test<ExceptionView> = (exception, budget) => matches(exception[key], budget)
      return { kind: 'exception', isNegated, test }
    }
    case 'tag': {
      const { key } = subject
      const matches = glob()
      return {
        kind: 'event',
        isNegated,
        test: ({ event }, budget) => {
          const value = tagValue(event, key)
          return value !== '' && matches(lowered(value), budget)
        },
      }
    }
    case 'event': {
      const { key } = subject
      const matches = glob()
      const test: Test<EventView> =
        key === 'message'
          ? (view, budget) => view.messages.some((text) => matches(text, budget))
          : ({ event }, budget) => matches(lowered(event[key]), budget)
      return { kind: 'event', isNegated, test }
    }
  }
}

/** A family names a group of platforms or one platform. */
export function isOfFamily(names: readonly string[], platform: string): boolean {
  return names.includes(platform) || names.includes(platformFamily(platform))
}

export function isEventOfFamily(names: readonly string[], { platform }: NormalizedEvent): boolean {
  return isOfFamily(names, platform)
}

function frameTest(key: FrameKey, glob: string): Test<FrameView> {
  if (key === 'app') {
    const wanted = glob === 'yes'
    return (view, budget) => {
      budget.spend(1)
      return view.inApp === wanted
    }
  }
  const matches = compileRuleGlob(glob, key === 'path' || key === 'package')
  if (key === 'path') {
    return ({ paths }, budget) => {
      budget.spend(1)
      return paths.some((path) => matches(path, budget))
    }
  }
  return (view, budget) => {
    budget.spend(1)
    const text = view.text(key)
    return text !== '' && matches(text, budget)
  }
}
