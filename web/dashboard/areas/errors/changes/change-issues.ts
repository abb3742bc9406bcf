/** Changes issues of a list at once, optimistically, with undo. */
import { signal } from '@preact/signals'
import { countOf } from '../../../design/content/format.ts'
import type { Issue } from '../../../generated/api.d.ts'
import { editItems } from '../../../http/edit-cache.ts'
import { type Reply, request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import type { IssueFilter } from '../issues/period.ts'
import { describeChange, whatOf } from './describe-change.ts'
import { type Assignee, type IssueChange, inverseOf, issueAfter } from './issue-after.ts'

export const issueList = 'GET /api/v1/projects/{project_id}/issues'
export const issueCount = 'GET /api/v1/projects/{project_id}/issues/count'
export type IssueCount = Reply<typeof issueCount>
const overview = 'GET /api/v1/projects/{project_id}/overview'
const bulk = 'POST /api/v1/projects/{project_id}/issues/bulk'

/** Ids of one request. */
const bulkIdsMax = 1_000

/** Issues that were changed on this page: those that no longer match the search leave its list. */
export const changedHere = signal<ReadonlySet<string>>(new Set())
/** Deleted and merged issues, which leave every list. */
export const goneIssues = signal<ReadonlySet<string>>(new Set())

export async function changeIssues(
  projectId: string,
  issues: readonly Issue[],
  change: IssueChange,
  assignee?: Assignee,
): Promise<void> {
  const ids = issues.map(({ id }) => id)
  const what = whatOf(issues.map(({ short_id }) => short_id))
  await runChange({
    apply: () => {
      const restore = editItems(issueList, (issue) =>
        ids.includes(issue.id) ? issueAfter(issue, change, assignee) : issue,
      )
      mark(changedHere, ids, true)
      return () => {
        restore()
        mark(changedHere, ids, false)
      }
    },
    send: () => sendIds(projectId, ids, change),
    done: describeChange(change, what, assignee),
    undo: async () => {
      for (const [inverse, group] of inverseGroups(issues, change)) {
        await sendIds(projectId, group, inverse)
      }
    },
    refetch: [overview, issueCount],
  })
}

async function sendIds(
  projectId: string,
  ids: readonly string[],
  change: IssueChange,
): Promise<void> {
  for (let start = 0; start < ids.length; start += bulkIdsMax) {
    const body = { ids: ids.slice(start, start + bulkIdsMax), change }
    await request(bulk, { params: { project_id: projectId }, body })
  }
}

/** All that match the search, found by the server: at most 10,000 at once, without undo. */
export async function changeMatching(
  projectId: string,
  filter: IssueFilter,
  change: IssueChange,
  assignee?: Assignee,
): Promise<void> {
  const params = { project_id: projectId }
  await runChange({
    send: () => request(bulk, { params, body: { query: '', ...filter, change } }),
    done: ({ changed, more }) => {
      const text = describeChange(change, countOf(changed, 'issue'), assignee)
      return more ? `${text} More issues match: repeat the change for the next 10,000.` : text
    },
    refetch: [overview, issueList, issueCount],
  })
}

/** The others are merged into the first one. */
export async function mergeIssues(
  projectId: string,
  into: Issue,
  others: readonly Issue[],
): Promise<void> {
  const ids = others.map(({ id }) => id)
  const params = { project_id: projectId, issue_id: into.id }
  await runChange({
    apply: () => leave(ids),
    send: async () => {
      for (const id of ids) {
        await request('POST /api/v1/projects/{project_id}/issues/{issue_id}/merge', {
          params: { project_id: projectId, issue_id: id },
          body: { into: into.id },
        })
      }
    },
    done: `Merged ${countOf(ids.length, 'issue')} into ${into.short_id}.`,
    undo: async () => {
      const detail = await request('GET /api/v1/projects/{project_id}/issues/{issue_id}', {
        params,
      })
      const hashes = detail.grouping.hashes
        .filter(({ came_from }) => came_from !== null && ids.includes(came_from))
        .map(({ hash }) => hash)
      const operation = 'POST /api/v1/projects/{project_id}/issues/{issue_id}/unmerge'
      await request(operation, { params, body: { hashes } })
    },
    refetch: [overview, issueList],
  })
}

export async function deleteIssues(projectId: string, issues: readonly Issue[]): Promise<void> {
  const ids = issues.map(({ id }) => id)
  await runChange({
    apply: () => leave(ids),
    send: async () => {
      for (const id of ids) {
        await request('DELETE /api/v1/projects/{project_id}/issues/{issue_id}', {
          params: { project_id: projectId, issue_id: id },
        })
      }
    },
    done: `Deleted ${whatOf(issues.map(({ short_id }) => short_id))} with their events.`,
    refetch: [overview, issueCount],
  })
}

function leave(ids: readonly string[]): () => void {
  mark(goneIssues, ids, true)
  return () => mark(goneIssues, ids, false)
}

function mark(
  set: { value: ReadonlySet<string> },
  ids: readonly string[],
  isMarked: boolean,
): void {
  const next = new Set(set.value)
  for (const id of ids) {
    if (isMarked) next.add(id)
    else next.delete(id)
  }
  set.value = next
}

/** Issues with the same former state are brought back by one request. */
export function inverseGroups(
  issues: readonly Issue[],
  change: IssueChange,
): readonly (readonly [IssueChange, readonly string[]])[] {
  const groups = new Map<string, [IssueChange, string[]]>()
  for (const issue of issues) {
    const inverse = inverseOf(issue, change)
    if (Object.keys(inverse).length === 0) continue
    const key = JSON.stringify(inverse)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [inverse, [issue.id]])
    else group[1].push(issue.id)
  }
  return [...groups.values()]
}
