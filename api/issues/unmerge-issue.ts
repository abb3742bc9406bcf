/** Undoing merges, and splitting hashes off an issue. See merge-issue.ts for the model. */
import { v7 as uuidv7 } from 'uuid'
import { CodedError } from '#schemas/error-codes.ts'
import { dashed, type ProjectId, undashed } from '#schemas/ids.ts'
import type { ApiContext } from '../context.ts'
import type { Database } from '../database.ts'
import { invalidField } from '../http/validation/invalid-field.ts'
import { addActivities, type IssueActor, type NewActivity } from './issue-history-store.ts'
import { takeBackMarks } from './marks/mark-store.ts'
import {
  countHashes,
  findIssueEnd,
  giveHashes,
  insertSplitIssue,
  listMergedInto,
  lockIssues,
  lockMerging,
  type OwnedHash,
  readHashes,
  setMergedInto,
  sumIssue,
} from './merge-store.ts'
import { issueMerged } from './merged-issue.ts'

export interface UnmergeIssue {
  readonly projectId: ProjectId
  readonly issueId: string
  /** 32 hex digits each. */
  readonly hashes: readonly string[]
}

interface Unmerging {
  readonly projectId: ProjectId
  readonly issueId: string
  readonly actor: IssueActor
  readonly at: Date
}

/**
 * Gives hashes back to the issues that they were merged away from. Hashes that never belonged to
 * another issue become one new issue. Returns the ids of the issues that have them now; hashes that
 * were split off earlier stay where they are.
 */
export async function unmergeIssue(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: IssueActor,
  { projectId, issueId, hashes }: UnmergeIssue,
): Promise<string[]> {
  const unmerging = { projectId, issueId, actor, at: new Date(ctx.clock.nowMs()) }
  return ctx.pg.transaction((client) => unmerge(client, unmerging, hashes))
}

async function unmerge(
  client: Database,
  unmerging: Unmerging,
  hashes: readonly string[],
): Promise<string[]> {
  const { projectId, issueId } = unmerging
  await lockMerging(client, projectId)
  const end = await findIssueEnd(client, { projectId, id: issueId })
  if (end === undefined) throw new CodedError('not_found')
  if (end !== issueId) throw issueMerged(end)

  const owned = await readHashes(client, { projectId, hashes: hashes.map(dashed) })
  checkHashes(hashes, owned, issueId)
  const moves = await planMoves(client, unmerging, owned)
  const known = [...moves.keys()].filter((to) => to !== newIssue)
  if ((await lockIssues(client, [issueId, ...known])) < 1 + known.length) {
    throw new CodedError('conflict', { message: 'The issues are being changed; try again.' })
  }
  const moving = [...moves.values()].reduce((sum, list) => sum + list.length, 0)
  if (moving > 0 && (await countHashes(client, [issueId])) === moving) {
    throw invalidField('hashes', 'must leave the issue at least one hash')
  }
  const split = new Set(owned.filter((row) => row.issue_id !== issueId).map((row) => row.issue_id))
  for (const [to, list] of moves) split.add(await giveTo(client, unmerging, to, list))
  if (moving > 0) await sumIssue(client, issueId)
  return [...split]
}

interface MovingHash {
  readonly hash: string
  /** How many of the issues that the hash came from stay stored. */
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

/** The hashes to move, by the id of the issue that gets them, or `newIssue`. */
async function planMoves(
  client: Database,
  { projectId, issueId }: Unmerging,
  owned: readonly OwnedHash[],
): Promise<Map<string, MovingHash[]>> {
  const moves = new Map<string, MovingHash[]>()
  const ends = new Map<string, string | undefined>()
  for (const { hash, issue_id, came_from } of owned) {
    if (issue_id !== issueId) continue
    let to = newIssue
    let remembered = came_from.length
    // An issue that the hash came from may be deleted by now; then the one before it gets the hash.
    while (to === newIssue && remembered > 0) {
      remembered -= 1
      const former = came_from[remembered]!
      if (former === issueId) continue
      if (!ends.has(former)) ends.set(former, await findIssueEnd(client, { projectId, id: former }))
      const end = ends.get(former)
      // An issue merged into this one is separated from it; one merged elsewhere gets the hash
      // there.
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
  unmerging: Unmerging,
  to: string,
  list: readonly MovingHash[],
): Promise<string> {
  const { projectId, issueId } = unmerging
  const target = to === newIssue ? uuidv7() : to
  if (to === newIssue) {
    await insertSplitIssue(client, { id: target, from: issueId, projectId })
  } else {
    await setMergedInto(client, target, null)
    await takeBackMarks(client, await listMergedInto(client, target))
  }
  await giveHashes(client, { projectId, from: issueId, to: target, hashes: list })
  await sumIssue(client, target)
  const hashes = list.map(({ hash }) => undashed(hash))
  const activities: NewActivity[] = [
    { issueId, kind: 'hashes_given', data: { hashes, to: target } },
    { issueId: target, kind: 'hashes_taken', data: { hashes, from: issueId } },
  ]
  await addActivities(client, activities, unmerging)
  return target
}
