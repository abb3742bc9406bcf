/**
 * Finds or makes the issues of a range's events and adds their counts, for each issue and for each
 * of its hashes. People merge, split and delete issues meanwhile. Who moves or deletes hashes holds
 * the rows of the issues they leave and go to; so the owners are read, their issues locked, and
 * then only hashes that still have the same owner take the counts.
 *
 * Order of locks, here and wherever issues are merged: creation of issues by project, issues by id,
 * then their hashes.
 */
import { v7 as uuidv7 } from 'uuid'
import type { PoolClient } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { IssueSum } from '../digest/issue-sums.ts'
import { assignIssues, type IssueChange, ownerKey } from './assign-issues.ts'
import { BurstGate, burstKeyOf, burstName } from './burst-gate.ts'
import { addNewIssues, readNewIssueCounts } from './burst-store.ts'
import {
  addHashSums,
  insertHashes,
  lockIssueCreation,
  lockIssues,
  readOwners,
  takeIssueNumbers,
  upsertIssues,
} from './issue-store.ts'

/** Rounds in which a commit finds that its hashes have gone to other issues. */
const roundsMax = 10

export async function settleIssues(
  client: PoolClient,
  sums: readonly IssueSum[],
): Promise<readonly IssueChange[]> {
  for (let round = 0; round < roundsMax; round += 1) {
    const owners = await readOwnersOrLock(client, sums)
    const gate = await openGate(client, sums, owners)
    const { changes, counted, claims } = assignIssues(sums, owners, uuidv7, (sum) =>
      gate.passes(sum),
    )
    // Going back to it gives up the locks, so that the next round takes all of its own in their
    // order.
    await client.query('savepoint settling')
    const known = changes.filter(({ isNew }) => !isNew).map(({ issueId }) => issueId)
    if ((await lockIssues(client, known)) === known.length) {
      if (claims.length > 0) await insertHashes(client, claims)
      if ((await addHashSums(client, counted)) === counted.length) {
        await upsertIssues(client, await numberIssues(client, changes))
        if (gate.made().length > 0) await addNewIssues(client, gate.made())
        return changes
      }
    }
    await client.query('rollback to savepoint settling')
  }
  throw new Error('issues are merged or deleted faster than they can be counted')
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

/**
 * Knows how many issues of each kind there were. Where some must be held back, adds the owners of
 * their coarse hashes.
 */
async function openGate(
  client: PoolClient,
  sums: readonly IssueSum[],
  owners: Map<string, string>,
): Promise<BurstGate> {
  const fresh = sums.filter(({ projectId, hashes }) =>
    hashes.every(({ hash }) => !owners.has(ownerKey(projectId, hash))),
  )
  if (fresh.length === 0) return new BurstGate(new Map())
  const keys = new Map(fresh.map((sum) => [burstName(burstKeyOf(sum)), burstKeyOf(sum)]))
  const counts = await readNewIssueCounts(client, [...keys.values()])
  const trial = new BurstGate(counts)
  const held = fresh.filter((sum) => !trial.passes(sum))
  if (held.length > 0) {
    const coarse = held.map((sum) => ({
      ...sum,
      hashes: [{ variant: 'coarse', hash: sum.coarse.hash }],
    }))
    for (const [key, issueId] of await readOwners(client, coarse)) owners.set(key, issueId)
  }
  return new BurstGate(counts)
}

/**
 * New issues get the next numbers of their project; the others keep theirs, and 0 is never written.
 */
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
