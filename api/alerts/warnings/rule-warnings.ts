/** Why a rule, or a part of it, never fires or reaches nobody. */
import type { AlertFilter, AlertWarning, QuietHours } from '#schemas/rest/alerts/alert.ts'
import {
  type AlertCondition,
  environmentConditionTypes,
  issueConditionTypes,
} from '#schemas/rest/alerts/condition.ts'
import type { AlertTargetItem } from '#schemas/rest/alerts/target.ts'
import { type SearchNode, termsIn } from '#schemas/search/search-query.ts'
import { unknownTagRule } from '../../search/find-unknown-tags.ts'
import { tagNamesIn } from '../../search/require-known-names.ts'
import { findContradictions } from './find-contradictions.ts'
import { exactly, globOf, matchesGlob } from './glob-overlap.ts'
import { type ProjectFacts, seenDays } from './rule-facts.ts'

export interface JudgedRule {
  readonly when: readonly AlertCondition[]
  readonly if: AlertFilter
  /** The parsed `if.query`. */
  readonly terms: readonly SearchNode[]
  readonly then: readonly JudgedTarget[]
  readonly quiet_hours: QuietHours | null
}

/** A target that is shown, or one of a rule that is only previewed. */
export type JudgedTarget = Pick<AlertTargetItem, 'type'> & {
  readonly to?: readonly string[] | undefined
  readonly enabled?: boolean | undefined
  readonly disabled_reason?: string | null | undefined
  readonly paused_until?: string | null | undefined
}

const warningsMax = 50
const environmentTypes: ReadonlySet<string> = new Set(environmentConditionTypes)

export function ruleWarnings(rule: JudgedRule, facts: ProjectFacts): AlertWarning[] {
  const isAboutIssues = rule.when.some(({ type }) => isIssueCondition(type))
  const warnings = [
    ...rule.when.flatMap((condition, index) => conditionWarnings(condition, index, rule, facts)),
    ...filterWarnings(rule, isAboutIssues, facts),
    ...rule.then.flatMap((target, index) => targetWarnings(target, index, isAboutIssues, facts)),
    ...quietWarnings(rule.quiet_hours),
  ]
  if (rule.then.length > 0 && rule.then.every(({ enabled }) => enabled === false)) {
    warnings.push({ field: 'then', rule: 'reaches nobody: every target is disabled' })
  }
  return warnings.slice(0, warningsMax)
}

function isIssueCondition(type: AlertCondition['type']): boolean {
  return (issueConditionTypes as readonly string[]).includes(type)
}

function conditionWarnings(
  condition: AlertCondition,
  index: number,
  { when }: JudgedRule,
  facts: ProjectFacts,
): AlertWarning[] {
  const field = `when.${index}`
  const warnings: AlertWarning[] = []
  const text = JSON.stringify(condition)
  const same = when.findIndex((other) => JSON.stringify(other) === text)
  if (same < index) warnings.push({ field, rule: `repeats when.${same}` })
  const never = neverFires(condition, facts)
  if (never !== undefined) warnings.push({ field, rule: `never fires: ${never}` })
  if ('window_seconds' in condition && facts.retentionDays !== undefined) {
    const windows =
      'compared_to' in condition && condition.compared_to === 'previous_window' ? 2 : 1
    if (condition.window_seconds * windows > facts.retentionDays * 86_400) {
      const rule = `is longer than events of the project are kept (${facts.retentionDays} days)`
      warnings.push({ field: `${field}.window_seconds`, rule })
    }
  }
  return warnings
}

function neverFires(condition: AlertCondition, facts: ProjectFacts): string | undefined {
  switch (condition.type) {
    case 'monitor_failed':
    case 'monitor_recovered':
      return facts.hasMonitors ? undefined : 'the project has no monitor'
    case 'crash_free_rate':
      if (condition.below_percent === 0) return 'no rate is below 0 percent'
      if (facts.hasSessions !== false) return undefined
      return `no session of the last ${seenDays} days was received`
    case 'quota':
      return facts.hasQuota ? undefined : 'the project has no monthly limit of events'
    case 'bounce_rate':
    case 'outcomes': {
      const limit = condition.type === 'outcomes' ? condition.percent : condition.above_percent
      return limit === 100 ? 'no share is above 100 percent' : undefined
    }
    default:
      return undefined
  }
}

function filterWarnings(
  { when, if: filter, terms }: JudgedRule,
  isAboutIssues: boolean,
  facts: ProjectFacts,
): AlertWarning[] {
  if (!isAboutIssues) {
    const hasEnvironment = when.some(({ type }) => environmentTypes.has(type))
    const { environment, ...others } = filter
    const unused = Object.values(hasEnvironment ? others : { environment, ...others })
    if (unused.every((value) => value === undefined || value === '')) return []
    const rule = hasEnvironment
      ? 'has no effect but for its environment: the rest applies to conditions about issues, and the rule has none'
      : 'has no effect: it applies to conditions about issues, and the rule has none'
    return [{ field: 'if', rule }]
  }
  return [
    ...findContradictions(filter, terms),
    ...unseenWarnings(filter, facts),
    ...tagWarnings(filter, terms, facts),
  ]
}

/** The names of the tags that a rule asks for. */
export function tagsOf({ if: { tags = {} }, terms }: Pick<JudgedRule, 'if' | 'terms'>): string[] {
  return [...new Set([...Object.keys(tags), ...tagNamesIn(termsIn(terms))])]
}

function tagWarnings(
  { tags = {} }: AlertFilter,
  terms: readonly SearchNode[],
  { unknownTags }: ProjectFacts,
): AlertWarning[] {
  const asked = [
    ...Object.keys(tags).map((name) => ({ name, field: `if.tags.${name}` })),
    ...[...new Set(tagNamesIn(termsIn(terms)))].map((name) => ({ name, field: 'if.query' })),
  ]
  return asked.flatMap(({ name, field }) => {
    const closest = unknownTags.get(name)
    if (closest === undefined) return []
    return [{ field, rule: unknownTagRule(name, closest) }]
  })
}

/** Values that look misspelled. A level that did not occur is expected if another one did. */
function unseenWarnings(filter: AlertFilter, { seen, hasEvents }: ProjectFacts): AlertWarning[] {
  if (!hasEvents) return []
  const warnings: AlertWarning[] = []
  for (const name of ['environment', 'component', 'release', 'level'] as const) {
    const known = seen[name]
    const values: readonly string[] = filter[name] ?? []
    if (known === undefined || values.length === 0) continue
    const patterns = values.map((value) => (name === 'release' ? globOf(value) : exactly(value)))
    const isSeen = patterns.map((pattern) =>
      pattern.length === 1
        ? known.has(pattern[0]!)
        : [...known].some((one) => matchesGlob(one, pattern)),
    )
    const rule = `no event of the last ${seenDays} days has this ${name}`
    if (name === 'level') {
      if (!isSeen.includes(true)) warnings.push({ field: 'if.level', rule })
      continue
    }
    for (const [index, is] of isSeen.entries()) {
      if (!is) warnings.push({ field: `if.${name}.${index}`, rule })
    }
  }
  return warnings
}

function targetWarnings(
  target: JudgedTarget,
  index: number,
  isAboutIssues: boolean,
  { recipientProblems }: ProjectFacts,
): AlertWarning[] {
  const field = `then.${index}`
  if (target.enabled === false) {
    const reason = target.disabled_reason ?? ''
    return [{ field, rule: reason === '' ? 'is disabled' : `is disabled: ${reason}` }]
  }
  const warnings: AlertWarning[] = []
  if (target.paused_until) {
    warnings.push({
      field,
      rule: `failed several times and is paused until ${target.paused_until}`,
    })
  }
  for (const [at, recipient] of (target.to ?? []).entries()) {
    const place = `${field}.to.${at}`
    const problem = recipientProblems.get(recipient)
    if (problem !== undefined) warnings.push({ field: place, rule: problem })
    else if (recipient === 'assignee' && !isAboutIssues) {
      const rule = 'reaches nobody: only issues have an assignee, and no condition is about issues'
      warnings.push({ field: place, rule })
    }
  }
  return warnings
}

function quietWarnings(quiet: QuietHours | null): AlertWarning[] {
  if (quiet === null || quiet.from !== quiet.to) return []
  const days = new Set(quiet.days ?? [1, 2, 3, 4, 5, 6, 7])
  if (days.size < 7) return []
  return [{ field: 'quiet_hours', rule: 'covers the whole week: nothing is ever sent' }]
}
