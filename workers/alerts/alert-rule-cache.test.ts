import { beforeEach, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { addRule } from '../../test/fixtures/workers/alert-rules.ts'
import { AlertRuleCache } from './alert-rule-cache.ts'
import { readFilters } from './alert-rules.ts'

let pg: Pool
let project: ProjectId
let nowMs: number
let cache: AlertRuleCache

usePostgres((fixture) => {
  pg = fixture.pg
})
beforeEach(async () => {
  project = await addProject(pg)
  nowMs = 1_000
  cache = new AlertRuleCache(pg, { monotonicMs: () => nowMs })
})

const newIssue = { when: [{ type: 'new_issue' }] }

async function readIds(): Promise<readonly string[]> {
  const read = await cache.read([project])
  return read.flatMap(readFilters).flatMap(({ rules }) => rules.map(({ id }) => id))
}

/** Replaces the rules as a Postgres does that lost the last commits, and was written to since. */
async function loseCommits(): Promise<string> {
  const { rows } = await pg.query('select alert_rules_version from projects where dsn_id = $1', [
    project,
  ])
  await pg.query('delete from alert_rules where project_id = $1', [project])
  const id = await addRule(pg, project, newIssue)
  await pg.query('update projects set alert_rules_version = $2 where dsn_id = $1', [
    project,
    rows[0].alert_rules_version,
  ])
  return id
}

test('a changed rule applies at once', async () => {
  const first = await addRule(pg, project, newIssue)
  expect(await readIds()).toEqual([first])
  const second = await addRule(pg, project, newIssue)
  expect(await readIds()).toEqual([first, second])
})

test('rules of a Postgres without the last commits apply within a minute', async () => {
  await addRule(pg, project, newIssue)
  await readIds()
  const id = await loseCommits()
  nowMs += 60_000
  expect(await readIds()).toEqual([id])
})

test('unchanged rules stay the same object, so that threads do not compile them again', async () => {
  await addRule(pg, project, newIssue)
  const [before] = await cache.read([project])
  nowMs += 3_600_000
  const [after] = await cache.read([project])
  expect(after).toBe(before)
})
