/**
 * Merging and splitting. Events name their first grouping hash for good, and a table says which issue owns a hash, so only
 * rows of that table move, and counts, users and series follow. A merged issue keeps its row: its id leads to the issue that
 * has its hashes now, and it gets its former state back with them. Each hash remembers the issues it was merged away from.
 */
import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import { dashed, type ProjectId, undashed } from '#schemas/ids.ts'
import { hashesPerIssueMax } from '#schemas/rest/issue-merge.ts'
import type { Database } from '../database.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { type Actor, addActivities, type NewActivity } from './issue-history-store.ts'
import {
  countHashes,
  findIssueEnd,
  giveHashes,
  insertSplitIssue,
  lockIssues,
  lockMerging,
  moveAllHashes,
  type OwnedHash,
  readHashes,
  setMergedInto,
  sumIssue,
} from './merge-store.ts'
import { issueMerged } from './merged-issue.ts'

export interface Doing {
  readonly projectId: ProjectId
  readonly issueId: string
  readonly actor: Actor
  readonly at: Date
}

/** Run in a transaction. Returns the id of the issue that has the events now; merging twice is merging once. */
export async function mergeIssue(client: Database, doing: Doing, into: string): Promise<string> {
  const { projectId, issueId } = doing
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
  await sumIssue(client, issueId)
  await sumIssue(client, winner)
  const data = { hashes: hashes.map(undashed) }
  const activities: NewActivity[] = [
    { issueId, kind: 'merged_into', data: { ...data, into: winner } },
    { issueId: winner, kind: 'merged', data: { ...data, issue: issueId } },
  ]
  await addActivities(client, activities, doing)
  return winner
}

/**
 * Run in a transaction. Hashes go back to where they came from; those that came from nowhere become a new issue together.
 * Returns the ids of the issues that have them; hashes that were split off before stay where they are.
 */
export async function unmergeIssue(
  client: Database,
  doing: Doing,
  hashes: readonly string[],
): Promise<string[]> {
  const { projectId, issueId } = doing
  await lockMerging(client, projectId)
  const end = await findIssueEnd(client, { projectId, id: issueId })
  if (end === undefined) throw new CodedError('not_found')
  if (end !== issueId) throw issueMerged(end)

  const owned = await readHashes(client, { projectId, hashes: hashes.map(dashed) })
  checkHashes(hashes, owned, issueId)
  const moves = await planMoves(client, doing, owned)
  const known = [...moves.keys()].filter((to) => to !== newIssue)
  if ((await lockIssues(client, [issueId, ...known])) < 1 + known.length) {
    throw new CodedError('conflict', { message: 'The issues are being changed; try again.' })
  }
  const moving = [...moves.values()].reduce((sum, list) => sum + list.length, 0)
  if (moving > 0 && (await countHashes(client, [issueId])) === moving) {
    throw invalidField('hashes', 'must leave the issue at least one hash')
  }
  const split = new Set(owned.filter((row) => row.issue_id !== issueId).map((row) => row.issue_id))
  for (const [to, list] of moves) split.add(await giveTo(client, doing, to, list))
  if (moving > 0) await sumIssue(client, issueId)
  return [...split]
}

interface MovingHash {
  readonly hash: string
  readonly remembered: number
}

const newIssue = 'new'

function checkHashes(
  hashes: readonly string[],
  owned: readonly OwnedHash[],
  issueId: string,
): void {
  const rows = new Map(owned.map((row) => [undashed(row.hash), row]))
  for (const [index, hash] of hashes.entries()) {
    const row = rows.get(hash)
    if (row?.issue_id === issueId || row?.split_from === issueId) continue
    throw invalidField(`hashes.${index}`, 'is not a hash of this issue')
  }
}

/** By the id of the issue that gets them, or `newIssue`. */
async function planMoves(
  client: Database,
  { projectId, issueId }: Doing,
  owned: readonly OwnedHash[],
): Promise<Map<string, MovingHash[]>> {
  const moves = new Map<string, MovingHash[]>()
  const ends = new Map<string, string | undefined>()
  for (const { hash, issue_id, came_from } of owned) {
    if (issue_id !== issueId) continue
    let to = newIssue
    let remembered = came_from.length
    // An issue it came from may be deleted by now; then the one before is asked.
    while (to === newIssue && remembered > 0) {
      remembered -= 1
      const former = came_from[remembered]!
      if (former === issueId) continue
      if (!ends.has(former)) ends.set(former, await findIssueEnd(client, { projectId, id: former }))
      const end = ends.get(former)
      // What is part of this issue comes out of it; what went elsewhere meanwhile is met there.
      if (end !== undefined) to = end === issueId ? former : end
    }
    const list = moves.get(to)
    if (list === undefined) moves.set(to, [{ hash, remembered }])
    else list.push({ hash, remembered })
  }
  return moves
}

async function giveTo(
  client: Database,
  doing: Doing,
  to: string,
  list: readonly MovingHash[],
): Promise<string> {
  const { projectId, issueId } = doing
  const target = to === newIssue ? uuidv7() : to
  if (to === newIssue) {
    await insertSplitIssue(client, { id: target, from: issueId, projectId })
  } else {
    await setMergedInto(client, target, null)
  }
  await giveHashes(client, { projectId, from: issueId, to: target, hashes: list })
  await sumIssue(client, target)
  const hashes = list.map(({ hash }) => undashed(hash))
  const activities: NewActivity[] = [
    { issueId, kind: 'hashes_given', data: { hashes, to: target } },
    { issueId: target, kind: 'hashes_taken', data: { hashes, from: issueId } },
  ]
  await addActivities(client, activities, doing)
  return target
}
