/**
 * The commit of a range: issue counts, releases, frame progress, dead letters and the cursor move in one
 * transaction or not at all. A crash before it leaves the range planned, and the next owner digests and inserts the
 * same range again under the same tokens.
 */
import { v7 as uuidv7 } from 'uuid'
import { inTransaction, type Pool, type PoolClient } from '#platform/postgres.ts'
import { dashed, type ProjectId } from '#schemas/ids.ts'
import { assignIssues, type IssueChange, ownerKey } from '../commit/assign-issues.ts'
import type { DeadLetter, RangeOutput } from '../digest/digest-range.ts'
import type { IssueSum, ReleaseSum } from '../digest/issue-sums.ts'
import type { BootProgress } from '../partitions/frame-progress.ts'
import type { CommitResult, Cursor, RangeCommit } from '../partitions/ports.ts'
import { moveCursor } from './cursor-store.ts'
import {
  insertHashes,
  lockIssueCreation,
  lockIssues,
  readExistingProjects,
  readOwners,
  regressIssues,
  takeIssueNumbers,
  upsertIssues,
  upsertReleases,
} from './issue-store.ts'
import { settleLeases } from './quota-settlement.ts'

const detailCharactersMax = 2_000

/** Rounds in which a commit finds an issue that was deleted meanwhile. */
const deletionRoundsMax = 5

export async function commitRange(pg: Pool, commit: RangeCommit): Promise<CommitResult> {
  const { cursor, output, frames } = commit
  return inTransaction(pg, async (client) => {
    await moveCursor(client, cursor)
    // Before any row of theirs, so that a project that is being deleted is waited for and not met halfway.
    const projects = await readExistingProjects(client, projectsOf(output))
    const result = await commitSums(client, output, projects)
    if (frames.length > 0) await upsertFrameProgress(client, cursor.partition, frames)
    if (output.deadLetters.length > 0) await insertDeadLetters(client, cursor, output.deadLetters)
    // Last: the use of a project is what all partitions and all of ingest wait for.
    await settleLeases(client, output.leases)
    return result
  })
}

function projectsOf({ issues, leases }: RangeOutput): number[] {
  return [...new Set<number>([...issues, ...leases].map(({ projectId }) => projectId))]
}

async function commitSums(
  client: PoolClient,
  output: RangeOutput,
  projects: ReadonlySet<number>,
): Promise<CommitResult> {
  const sums = output.issues.filter(({ projectId }) => projects.has(projectId))
  if (sums.length === 0) return { newIssues: 0, regressedIssues: 0 }

  const changes = await settleIssues(client, sums)
  const releases = output.releases.filter(({ projectId }) => projects.has(projectId))
  if (releases.length > 0) await upsertReleases(client, countNewIssues(releases, changes))
  const regressedIssues = await regressIssues(client, changes)
  return { newIssues: changes.filter(({ isNew }) => isNew).length, regressedIssues }
}

async function settleIssues(
  client: PoolClient,
  sums: readonly IssueSum[],
): Promise<readonly IssueChange[]> {
  for (let round = 0; round < deletionRoundsMax; round += 1) {
    const { changes, claims } = assignIssues(sums, await readOwnersOrLock(client, sums), uuidv7)
    const known = changes.filter(({ isNew }) => !isNew).map(({ issueId }) => issueId)
    // Whoever deletes an issue deletes its hashes with it: looked up again, they are nobody's.
    if ((await lockIssues(client, known)) < known.length) continue
    if (claims.length > 0) await insertHashes(client, claims)
    await upsertIssues(client, await numberIssues(client, changes))
    return changes
  }
  throw new Error('issues are deleted faster than they can be counted')
}

/** Where a hash is nobody's, no other commit makes an issue of it until this one has ended. */
async function readOwnersOrLock(client: PoolClient, sums: readonly IssueSum[]) {
  const owners = await readOwners(client, sums)
  const incomplete = sums.filter(({ projectId, hashes }) =>
    hashes.some(({ hash }) => !owners.has(ownerKey(projectId, hash))),
  )
  if (incomplete.length === 0) return owners
  await lockIssueCreation(
    client,
    incomplete.map(({ projectId }) => projectId),
  )
  return readOwners(client, sums)
}

/** New issues get the next numbers of their project; the others keep theirs, and 0 is never written. */
async function numberIssues(client: PoolClient, changes: readonly IssueChange[]) {
  const counts = new Map<ProjectId, number>()
  for (const { isNew, sum } of changes) {
    if (isNew) counts.set(sum.projectId, (counts.get(sum.projectId) ?? 0) + 1)
  }
  const next = new Map<ProjectId, number>()
  for (const [projectId, count] of [...counts].sort(([a], [b]) => a - b)) {
    next.set(projectId, await takeIssueNumbers(client, projectId, count))
  }
  return changes.map((change) => {
    if (!change.isNew) return { ...change, shortNo: 0 }
    const shortNo = next.get(change.sum.projectId) ?? 0
    next.set(change.sum.projectId, shortNo + 1)
    return { ...change, shortNo }
  })
}

function countNewIssues(releases: readonly ReleaseSum[], changes: readonly IssueChange[]) {
  const counts = new Map<string, number>()
  for (const { isNew, sum } of changes) {
    const key = `${sum.projectId} ${sum.firstRelease}`
    if (isNew) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return releases.map((release) => ({
    ...release,
    newIssueCount: counts.get(`${release.projectId} ${release.version}`) ?? 0,
  }))
}

async function upsertFrameProgress(
  client: PoolClient,
  partition: number,
  frames: readonly BootProgress[],
): Promise<void> {
  for (const { bootId, contiguous, ahead } of frames) {
    await client.query(
      `insert into frame_progress (partition, boot_id, contiguous, ahead) values ($1, $2, $3, $4)
       on conflict (partition, boot_id) do update set
         contiguous = excluded.contiguous, ahead = excluded.ahead, updated_at = now()`,
      [partition, dashed(bootId), contiguous, ahead],
    )
  }
}

async function insertDeadLetters(
  client: PoolClient,
  cursor: Cursor,
  letters: readonly DeadLetter[],
): Promise<void> {
  for (const letter of letters) {
    await client.query(
      `insert into dead_letters (partition, generation, stream_seq, record_index, project_id, reason, detail, bytes)
       values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
      [
        cursor.partition,
        cursor.generation,
        letter.streamSeq,
        letter.recordIndex,
        letter.projectId ?? null,
        letter.reason,
        keepable(letter.detail),
        letter.bytes,
      ],
    )
  }
}

/** The text of an error may quote the bytes that caused it; a NUL in it would make Postgres refuse the whole commit. */
function keepable(detail: string): string {
  return detail.slice(0, detailCharactersMax).replaceAll('\0', '\u{fffd}')
}
