/**
 * The alert rules of a project about issues. The process caches them (alert-rule-cache.ts), hands
 * their text to digest threads, and uses them again in the commit. Rules with the same `if` share
 * one filter, which a thread evaluates once for all of them.
 */

import type { ProjectId } from '#schemas/ids.ts'
import type { StoredConditions } from '#schemas/rest/alerts/alert.ts'
import { issueConditionTypes } from '#schemas/rest/alerts/condition.ts'

export type IssueCondition = Extract<
  StoredConditions['when'][number],
  { type: (typeof issueConditionTypes)[number] }
>

export interface IssueRule {
  readonly id: string
  readonly when: readonly IssueCondition[]
  readonly if: StoredConditions['if']
}

/** The rules of a project as a digest gets them. */
export interface AlertRules {
  readonly projectId: ProjectId
  /** Unique in this process: other rules of a project have another version. */
  readonly version: number
  /** JSON of `IssueRule[]`. Shared with the threads, because copying it would cost more. */
  readonly text: Uint8Array
}

export interface RuleFilter {
  readonly filter: StoredConditions['if']
  readonly rules: readonly IssueRule[]
  /** Whether every event that matches has to be counted; else the first one is enough. */
  readonly countsEvents: boolean
  readonly countsUsers: boolean
  readonly namesReleases: boolean
}

const types: ReadonlySet<string> = new Set(issueConditionTypes)

export function isIssueCondition(
  condition: StoredConditions['when'][number],
): condition is IssueCondition {
  return types.has(condition.type)
}

const decoder = new TextDecoder()

/** The filters of rules. Their index names a filter in the thread and in the commit. */
export function readFilters({ text }: Pick<AlertRules, 'text'>): readonly RuleFilter[] {
  // A copy, because the decoder refuses shared memory.
  const rules = JSON.parse(decoder.decode(text.slice())) as readonly IssueRule[]
  const byFilter = new Map<string, IssueRule[]>()
  for (const rule of rules) {
    const key = JSON.stringify(rule.if)
    const same = byFilter.get(key)
    if (same === undefined) byFilter.set(key, [rule])
    else same.push(rule)
  }
  return [...byFilter.values()].map((rulesOfFilter) => {
    const has = (...wanted: readonly string[]) =>
      rulesOfFilter.some(({ when }) => when.some(({ type }) => wanted.includes(type)))
    return {
      filter: rulesOfFilter[0]!.if,
      rules: rulesOfFilter,
      countsEvents: has('event_count', 'user_count'),
      countsUsers: has('user_count'),
      namesReleases: has('first_in_release'),
    }
  })
}
