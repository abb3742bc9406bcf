import { beforeEach, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { addRule } from '../../test/fixtures/workers/alert-rules.ts'
import { AlertRuleCache } from './alert-rule-cache.ts'

let pg: Pool
let project: ProjectId
let cache: AlertRuleCache

usePostgres((fixture) => {
  pg = fixture.pg
})
beforeEach(async () => {
  project = await addProject(pg)
  cache = new AlertRuleCache(pg)
})

const newIssue = { when: [{ type: 'new_issue' }] }

async function readIds(): Promise<readonly string[]> {
  const read = await cache.read([project])
  return read.flatMap(({ filters }) => filters.flatMap(({ rules }) => rules.map(({ id }) => id)))
}

async function version(): Promise<number> {
  const { rows } = await pg.query('select alert_rules_version from projects where dsn_id = $1', [
    project,
  ])
  return rows[0].alert_rules_version
}

test('a changed rule applies at once', async () => {
  const first = await addRule(pg, project, newIssue)
  expect(await readIds()).toEqual([first])
  const second = await addRule(pg, project, newIssue)
  expect(await readIds()).toEqual([first, second])
})

test('a rule of a Postgres that was put back and written to since applies at once', async () => {
  const before = await version()
  const lost = await addRule(pg, project, newIssue)
  expect(await readIds()).toEqual([lost])
  await pg.query('delete from alert_rules where id = $1', [lost])
  await pg.query('update projects set alert_rules_version = $2 where dsn_id = $1', [
    project,
    before,
  ])
  const stored = await addRule(pg, project, newIssue)
  expect(await readIds()).toEqual([stored])
})

test('unchanged rules stay the same object, so that threads do not compile them again', async () => {
  await addRule(pg, project, newIssue)
  const [before] = await cache.read([project])
  const [after] = await cache.read([project])
  expect(after).toBe(before)
})
