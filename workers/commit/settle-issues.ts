/**
 * Finds or creates the issues of a range's events and adds their counts, to each issue and each of
 * its hashes. People merge, unmerge and delete issues meanwhile. A transaction that moves or
 * deletes hashes locks the issues that lose and get them; so the owners are read, their issues
 * locked, and then only hashes that still have the same owner get the counts. Lock order, here and
 * wherever issues are merged: issue creation by project, issues by id, then their hashes.
 */
import { v7 as uuidv7 } from 'uuid'
import type { PoolClient } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { IssueSum } from '../digest/issue-sums.ts'
import { assignOwners } from '../issue-owners/assign-owner-store.ts'
import type { TouchedIssue } from '../issue-states/touched-issue.ts'
import { assignIssues, type IssueChange, ownerKey } from './assign-issues.ts'
import { BurstGate, burstKeyOf, burstName } from './burst-gate.ts'
import { addNewIssues, readNewIssueCounts } from './burst-store.ts'
import { addHashSums, upsertIssues } from './issue-count-store.ts'
import {
  insertHashes,
  lockIssueCreation,
  lockIssues,
  readOwners,
  takeIssueNumbers,
} from './issue-store.ts'

/** Attempts of a commit that finds that its hashes were moved to other issues. */
const roundsMax = 10

export interface CountedIssues {
  readonly changes: readonly IssueChange[]
  /** Issues whose state the events may change. */
  readonly touched: readonly TouchedIssue[]
}

export async function settleIssues(
  client: PoolClient,
  sums: readonly IssueSum[],
): Promise<CountedIssues> {
  for (let round = 0; round < roundsMax; round += 1) {
    const owners = await readOwnersOrLock(client, sums)
    const gate = await openGate(client, sums, owners)
    const { changes, counted, claims } = assignIssues(sums, owners, uuidv7, (sum) =>
      gate.passes(sum),
    )
    // A rollback to this savepoint releases the locks, so that the next round takes its own locks
    // in order.
    await client.query('savepoint settling')
    const known = changes.filter(({ isNew }) => !isNew).map(({ issueId }) => issueId)
    if ((await lockIssues(client, known)) === known.length) {
      if (claims.length > 0) await insertHashes(client, claims)
      if ((await addHashSums(client, counted)) === counted.length) {
        const touched = await upsertIssues(client, await numberIssues(client, changes))
        if (gate.made().length > 0) await addNewIssues(client, gate.made())
        await assignOwners(client, changes)
        return { changes, touched }
      }
    }
    await client.query('rollback to savepoint settling')
  }
  throw new Error('issues are merged or deleted faster than they can be counted')
}

/**
 * If a hash has no owner, the lock keeps other commits from creating an issue for it until this one
 * has ended.
 */
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
 * Reads the numbers of new issues by kind. If the limit is reached, adds the owners of the coarse
 * hashes.
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
 * Gives new issues the next numbers of their project. Existing issues keep theirs; their 0 is never
 * written.
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
