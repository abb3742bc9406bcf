/**
 * Changes the states of issues that a commit has added events to. Most commits change none and run
 * no query here; others at most three.
 */
import type { PoolClient } from '#platform/postgres.ts'
import { compareReleases } from '#schemas/releases/compare-releases.ts'
import type { IssueChange } from '../commit/assign-issues.ts'
import {
  addIgnoredUsers,
  type ReleaseLookup,
  readReleases,
  writeTransitions,
} from './issue-state-store.ts'
import {
  planTransition,
  releasesAfter,
  resolutionOf,
  type Touched,
  type Transition,
} from './plan-transitions.ts'
import type { SettledStates } from './settled-states.ts'
import type { TouchedIssue } from './touched-issue.ts'

/** @param touched the issues whose state may change. Their rows are locked. */
export async function settleStates(
  client: PoolClient,
  changes: readonly IssueChange[],
  touched: readonly TouchedIssue[],
): Promise<SettledStates> {
  const sums = new Map(changes.map(({ issueId, sum }) => [issueId, sum]))
  const candidates = touched.flatMap((issue): Touched[] => {
    const sum = sums.get(issue.id)
    return sum === undefined ? [] : [{ issue, sum }]
  })
  const lookups = candidates.flatMap(lookupOf)
  const users = candidates.flatMap(usersOf)
  const facts = {
    releases: lookups.length > 0 ? await readReleases(client, lookups) : new Map(),
    users: users.length > 0 ? await addIgnoredUsers(client, users) : new Map(),
  }
  const transitions = candidates.flatMap((each) => planTransition(each, facts) ?? [])
  if (transitions.length > 0) await writeTransitions(client, transitions)
  return settled(changes, transitions)
}

/** The releases that decide about a regression; none when their names do. */
function lookupOf(touched: Touched): ReleaseLookup[] {
  const { issue, sum } = touched
  if (issue.status !== 'resolved') return []
  const resolution = resolutionOf(issue)
  const versions = releasesAfter(touched).flatMap(({ version }) => version || [])
  const { release } = resolution
  const isDecidedByNames =
    resolution.in !== 'commit' &&
    (release === null
      ? resolution.in !== 'next_release'
      : versions.every((version) => compareReleases(version, release) !== undefined))
  if (versions.length === 0 || isDecidedByNames) return []
  return [
    {
      issueId: issue.id,
      projectId: sum.projectId,
      versions: release === null ? versions : [...versions, release],
      commit: resolution.in === 'commit' ? resolution.commit : null,
    },
  ]
}

function usersOf({ issue, sum }: Touched) {
  if (issue.status !== 'ignored' || issue.ignoredUntilUsers === null) return []
  return sum.users.map((userHash) => ({ issueId: issue.id, userHash }))
}

function settled(
  changes: readonly IssueChange[],
  transitions: readonly Transition[],
): SettledStates {
  const regressed = new Map()
  const escalated = new Map()
  const returned = new Set<string>()
  for (const { issueId, kind, data } of transitions) {
    if (kind === 'regressed') regressed.set(issueId, { release: data.release })
    else if (kind === 'escalating') escalated.set(issueId, data)
    else returned.add(issueId)
  }
  return { changes, regressed, escalated, returned }
}
