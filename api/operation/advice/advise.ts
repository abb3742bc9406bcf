/**
 * The one line of advice: the most important thing that is wrong now, what to do, and the page that
 * says more. The rules are in the order of what they cost: events that are being lost, events that
 * soon will be, events and emails that are late, and what can wait until tomorrow.
 */
import type { Snapshot } from '../processes/snapshot.ts'
import type { AdviceRule } from './advice-rule.ts'
import { delayRules } from './delay-rules.ts'
import { laterRules } from './later-rules.ts'
import { lossRules } from './loss-rules.ts'

export interface Advice {
  /** Name of the rule; null if there is nothing to do. */
  readonly rule: string | null
  readonly severity: 'ok' | 'warning' | 'problem'
  readonly text: string
  /** Path of the page below the root of the repository. */
  readonly runbook: string | null
  /** Names of the other rules that apply, in their order. */
  readonly also: readonly string[]
}

export const adviceRules: readonly AdviceRule[] = [...lossRules, ...delayRules, ...laterRules]

export interface AdviceItem {
  /** Name of the rule. */
  readonly rule: string
  readonly severity: AdviceRule['severity']
  readonly text: string
  readonly runbook: string
}

/** Everything that is wrong, the most important first. */
export function adviseAll(snapshot: Snapshot): readonly AdviceItem[] {
  return adviceRules.flatMap(({ name, severity, page, find }) => {
    const text = find(snapshot)
    return text === undefined ? [] : [{ rule: name, severity, text, runbook: `docs/${page}.md` }]
  })
}

export function advise(snapshot: Snapshot): Advice {
  const [first, ...others] = adviseAll(snapshot)
  if (first === undefined) {
    return { rule: null, severity: 'ok', text: 'Nothing to do.', runbook: null, also: [] }
  }
  return { ...first, also: others.map(({ rule }) => rule) }
}
