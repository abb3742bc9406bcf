/**
 * The grouping rules of a project, compiled. Stack-trace rules are applied first, because
 * fingerprint rules may ask which frames are the user's own. Lines that are not valid were refused
 * when the rules were saved; one that is there nevertheless is skipped.
 */
import { parseFingerprintRules } from '#schemas/grouping/parse-fingerprint-rules.ts'
import { parseStackTraceRules } from '#schemas/grouping/parse-stack-trace-rules.ts'
import type { EventException, Frame, NormalizedEvent } from '../../normalize/event.ts'
import { applyStackRule, type CompiledStackRule, compileStackRule } from './apply-stack-rules.ts'
import { EventView, type FrameView } from './event-view.ts'
import {
  type CompiledFingerprintRule,
  compileFingerprintRule,
  matchesRule,
} from './match-fingerprint-rule.ts'
import { ownSdkPrefix } from './own-sdk.ts'
import { RuleBudget } from './rule-budget.ts'
import type { RuledFrame, RuledFrames } from './ruled-frame.ts'

export interface RuleTexts {
  readonly fingerprint_rules: string
  readonly stack_trace_rules: string
}

export interface MatchedRule {
  readonly kind: 'fingerprint' | 'stack_trace'
  /** From 1. */
  readonly line: number
  readonly source: string
}

/** An event as grouping sees it when its project has rules. */
export interface RuledEvent {
  /** With `in_app` of its frames as the rules say. */
  readonly event: NormalizedEvent
  /** What rules say about frames of that event. */
  readonly frames: RuledFrames
  /** The first fingerprint rule that matches. */
  readonly fingerprint: CompiledFingerprintRule | undefined
  /** In the order in which they were applied. */
  readonly matched: readonly MatchedRule[]
  /** False when the work for one event was used up, so that further rules were not tried. */
  readonly isComplete: boolean
}

export class GroupingRules {
  readonly #stackRules: readonly CompiledStackRule[]
  readonly #fingerprintRules: readonly CompiledFingerprintRule[]

  /** Undefined when there are no rules, which then cost nothing. */
  static of(texts: RuleTexts): GroupingRules | undefined {
    if (texts.fingerprint_rules === '' && texts.stack_trace_rules === '') return undefined
    const rules = new GroupingRules(texts)
    return rules.#stackRules.length + rules.#fingerprintRules.length === 0 ? undefined : rules
  }

  private constructor({ fingerprint_rules, stack_trace_rules }: RuleTexts) {
    this.#fingerprintRules =
      parseFingerprintRules(fingerprint_rules).rules.map(compileFingerprintRule)
    this.#stackRules = parseStackTraceRules(stack_trace_rules).rules.map(compileStackRule)
  }

  /** Undefined when no rule is about this event. */
  apply(event: NormalizedEvent): RuledEvent | undefined {
    // Failures of a monitor belong to the issue of the monitor, with any rules.
    if (event.sdk.startsWith(ownSdkPrefix)) return undefined
    const budget = new RuleBudget()
    const view = new EventView(event)
    const matched: MatchedRule[] = []
    for (const rule of this.#stackRules) {
      const stacks = view.stacks.filter((stack) => applyStackRule(rule, stack, budget))
      if (stacks.length > 0) {
        matched.push({ kind: 'stack_trace', line: rule.line, source: rule.source })
      }
    }
    const fingerprint = this.#fingerprintRules.find((rule) => matchesRule(rule, view, budget))
    if (fingerprint !== undefined) {
      const { line, source } = fingerprint
      matched.push({ kind: 'fingerprint', line, source })
    }
    const isComplete = !budget.isSpent
    if (matched.length === 0 && isComplete) return undefined
    const frames = new Map<Frame, RuledFrame>()
    const hasRuled = matched.some(({ kind }) => kind === 'stack_trace')
    return {
      event: hasRuled ? withRuledFrames(event, view, frames) : event,
      frames,
      fingerprint,
      matched,
      isComplete,
    }
  }
}

function withRuledFrames(
  event: NormalizedEvent,
  view: EventView,
  ruled: Map<Frame, RuledFrame>,
): NormalizedEvent {
  const changed = new Map<readonly Frame[], readonly Frame[]>()
  const lists = [
    ...event.exceptions.map(({ frames }) => frames),
    ...event.threads.map(({ frames }) => frames),
    event.frames,
  ]
  const views = new Map<Frame, FrameView>()
  for (const { frames } of view.stacks) {
    for (const each of frames) if (each.ruled !== undefined) views.set(each.frame, each)
  }
  for (const list of lists) {
    if (!list.some((frame) => views.has(frame))) continue
    changed.set(
      list,
      list.map((frame) => ruledFrame(frame, views.get(frame)?.ruled, ruled)),
    )
  }
  const framesOf = (list: readonly Frame[]) => changed.get(list) ?? list
  return {
    ...event,
    exceptions: event.exceptions.map(
      (exception): EventException => ({ ...exception, frames: framesOf(exception.frames) }),
    ),
    threads: event.threads.map((thread) => ({ ...thread, frames: framesOf(thread.frames) })),
    frames: framesOf(event.frames),
  }
}

function ruledFrame(
  frame: Frame,
  ruled: RuledFrame | undefined,
  byFrame: Map<Frame, RuledFrame>,
): Frame {
  if (ruled === undefined) return frame
  const changed = ruled.inApp === undefined ? frame : { ...frame, in_app: ruled.inApp }
  byFrame.set(changed, ruled)
  return changed
}
