/** The commit writes rows for what matches, so a range hands it a bounded number of matches. */
import { expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { filterListOf } from '../../../test/fixtures/workers/filter-list.ts'
import { filtersOf, type IssueRule, type ProjectsFilters } from '../alert-rules.ts'
import { unpackMatches } from './filter-match.ts'
import { FiltersByProject, type OpenMatches } from './match-filters.ts'
import { alertShare, conditionSteps } from './step-budget.ts'

type Event = Parameters<OpenMatches['add']>[0]
type Grouping = Parameters<OpenMatches['add']>[1]

function rulesOf(projectId: ProjectId, rules: readonly IssueRule[]): ProjectsFilters {
  return { projectIds: [projectId], ...filterListOf(filtersOf(rules)) }
}

const event = { receivedAtMs: 0, release: '1.0', environment: '', user: {} } as unknown as Event
const grouping = {} as Grouping
const thresholds = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
const when = thresholds.map((threshold) => ({
  type: 'event_count' as const,
  threshold,
  window_seconds: 60,
  compared_to: 'absolute' as const,
}))
const many = Array.from({ length: 100 }, (_, no) => ({ id: `${no}`, when, if: {} }))

test('a project with many rules and many new issues hands over a bounded number of checks', () => {
  const [busy, other] = [1 as ProjectId, 2 as ProjectId]
  const filters = new FiltersByProject([
    rulesOf(busy, many),
    rulesOf(other, [{ id: 'o', when: [{ type: 'new_issue' }], if: {} }]),
  ])
  let checks = 0
  for (let issue = 0; issue < 5_000; issue += 1) {
    checks += matchesOf(filters, busy) * many.length * when.length
  }
  expect(checks).toBeGreaterThan(0)
  const perIssue = many.length * when.length
  expect(checks).toBeLessThanOrEqual(alertShare.stepsMax / conditionSteps + perIssue)
  expect(filters.skipped()).toBeGreaterThan(4_000)
  expect(matchesOf(filters, other)).toBe(1)
})

/** Matches of a new issue with one event. */
function matchesOf(filters: FiltersByProject, project: ProjectId): number {
  const open = filters.openSum(project)!
  open.add(event, grouping)
  return unpackMatches(open.finish()).length
}
