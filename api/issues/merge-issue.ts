/**
 * Merging issues. Events keep their first grouping hash forever, and a table says which issue owns
 * a hash, so a merge moves rows of that table only; counts, users and series follow. A merged issue
 * keeps its row: its id redirects to the issue that has its hashes now, and it gets its former
 * state back when the merge is undone. Each hash remembers the issues it was merged away from.
 */
import { CodedError } from '#schemas/error-codes.ts'
import { type ProjectId, undashed } from '#schemas/ids.ts'
import { hashesPerIssueMax } from '#schemas/rest/issue-merge.ts'
import type { ApiContext } from '../context.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { addActivities, type IssueActor, type NewActivity } from './issue-history-store.ts'
import { copyMarks } from './marks/mark-store.ts'
import {
  countHashes,
  findIssueEnd,
  lockIssues,
  lockMerging,
  moveAllHashes,
  setMergedInto,
  sumIssue,
} from './merge-store.ts'
import { issueMerged } from './merged-issue.ts'

export interface MergeIssue {
  readonly projectId: ProjectId
  readonly issueId: string
  /** The issue that gets the events. */
  readonly into: string
}

/**
 * Returns the id of the issue that has the events now. Merging twice is the same as merging once.
 */
export async function mergeIssue(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: IssueActor,
  { projectId, issueId, into }: MergeIssue,
): Promise<string> {
  const by = { actor, at: new Date(ctx.clock.nowMs()) }
  return ctx.pg.transaction(async (client) => {
    await lockMerging(client, projectId)
    const end = await findIssueEnd(client, { projectId, id: issueId })
    if (end === undefined) throw new CodedError('not_found')
    const winner = await findIssueEnd(client, { projectId, id: into })
    if (winner === undefined) throw invalidField('into', 'must be an issue of this project')
    if (into === issueId) throw invalidField('into', 'must be another issue')
    if (end !== issueId) {
      if (end === winner) return winner
      throw issueMerged(end)
    }
    if (winner === issueId) throw invalidField('into', 'was merged into this issue')

    if ((await lockIssues(client, [issueId, winner])) < 2) throw new CodedError('not_found')
    if ((await countHashes(client, [issueId, winner])) > hashesPerIssueMax) {
      const message = `Together the issues have more than ${hashesPerIssueMax} grouping hashes.`
      throw new CodedError('conflict', { message })
    }
    const hashes = await moveAllHashes(client, { from: issueId, to: winner })
    await setMergedInto(client, issueId, winner)
    await copyMarks(client, { from: issueId, to: winner })
    await sumIssue(client, issueId)
    await sumIssue(client, winner)
    const data = { hashes: hashes.map(undashed) }
    const activities: NewActivity[] = [
      { issueId, kind: 'merged_into', data: { ...data, into: winner } },
      { issueId: winner, kind: 'merged', data: { ...data, issue: issueId } },
    ]
    await addActivities(client, activities, by)
    return winner
  })
}
