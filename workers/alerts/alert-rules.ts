/**
 * The alert rules of a project about issues. The process caches them (alert-rule-cache.ts), hands
 * what digest threads evaluate to them as text, and uses the rules in the commit. Rules with the
 * same `if` share one filter, and projects with the same filters share one list of them.
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

/** The rules of a project as a commit gets them. */
export interface AlertRules {
  readonly projectId: ProjectId
  readonly filters: readonly RuleFilter[]
  readonly list: FilterList
}

/** What an event is compared with, once for all rules that ask for the same. */
export interface EventFilter {
  readonly filter: StoredConditions['if']
  readonly countsEvents: boolean
  readonly countsUsers: boolean
  readonly namesReleases: boolean
  /** How many conditions of rules a match is handed to. */
  readonly conditions: number
}

/** The position of a filter names it in the thread and in the commit. */
export interface RuleFilter extends EventFilter {
  readonly rules: readonly IssueRule[]
}

/** Filters as threads get them. */
export interface FilterList {
  /** Unique in this process: other filters have another version. */
  readonly version: number
  /** JSON of `EventFilter[]`. Shared with the threads, because copying it would cost more. */
  readonly text: Uint8Array
}

/** The projects of a range that have these filters. */
export interface ProjectsFilters extends FilterList {
  readonly projectIds: readonly ProjectId[]
}

const types: ReadonlySet<string> = new Set(issueConditionTypes)

export function isIssueCondition(
  condition: StoredConditions['when'][number],
): condition is IssueCondition {
  return types.has(condition.type)
}

export function filtersOf(rules: readonly IssueRule[]): readonly RuleFilter[] {
  const byFilter = new Map<string, { filter: RuleFilter['filter']; rules: IssueRule[] }>()
  for (const rule of rules) {
    // The commit looks at the state of issues for every rule.
    const { unresolved: _, ...filter } = rule.if
    const key = JSON.stringify(filter)
    const same = byFilter.get(key)
    if (same === undefined) byFilter.set(key, { filter, rules: [rule] })
    else same.rules.push(rule)
  }
  return [...byFilter.values()].map(({ filter, rules: rulesOfFilter }) => {
    const has = (wanted: IssueCondition['type']) =>
      rulesOfFilter.some(({ when }) => when.some(({ type }) => type === wanted))
    return {
      filter,
      rules: rulesOfFilter,
      countsEvents: has('event_count'),
      countsUsers: has('user_count'),
      namesReleases: has('first_in_release'),
      conditions: rulesOfFilter.reduce((sum, { when }) => sum + when.length, 0),
    }
  })
}

/** Whether every event that matches matters; else the first one of an issue is enough. */
export function needsAllEvents(filter: EventFilter): boolean {
  return filter.countsEvents || filter.countsUsers || filter.namesReleases
}

export function filterListText(filters: readonly EventFilter[]): string {
  return JSON.stringify(
    filters.map(({ filter, countsEvents, countsUsers, namesReleases, conditions }) => ({
      filter,
      countsEvents,
      countsUsers,
      namesReleases,
      conditions,
    })),
  )
}

const decoder = new TextDecoder()

export function readFilterList({ text }: Pick<FilterList, 'text'>): readonly EventFilter[] {
  // A copy, because the decoder refuses shared memory.
  return JSON.parse(decoder.decode(text.slice())) as readonly EventFilter[]
}

/** What a digest needs of the rules of its projects: each list once. */
export function filtersForDigest(rules: readonly AlertRules[]): readonly ProjectsFilters[] {
  const byList = new Map<FilterList, ProjectId[]>()
  for (const { projectId, list } of rules) {
    const projectIds = byList.get(list)
    if (projectIds === undefined) byList.set(list, [projectId])
    else projectIds.push(projectId)
  }
  return [...byList].map(([{ version, text }, projectIds]) => ({ version, text, projectIds }))
}
