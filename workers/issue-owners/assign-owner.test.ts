import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { sumOf } from '../../test/fixtures/workers/range-output.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import { readIssueRules } from './issue-rules-store.ts'

let pg: Pool
let project: ProjectId
let partition: TestPartition
let person: string
let team: string

usePostgres((fixture) => {
  pg = fixture.pg
  project = fixture.project
})
beforeEach(async () => {
  partition = await TestPartition.takeNew(pg)
  person = await addMember(project, `ada-${project}@example.com`)
  team = await addTeam(project, 'server')
})

const organization = '(select organization_id from projects where dsn_id = $1)'

async function addMember(projectId: ProjectId, email: string): Promise<string> {
  const id = randomUUID()
  await pg.query('insert into people (id, email, name) values ($1, $2, $3)', [id, email, 'Ada'])
  await pg.query(
    `insert into memberships (organization_id, person_id, role) values (${organization}, $2, 'member')`,
    [projectId, id],
  )
  return id
}

async function addTeam(projectId: ProjectId, slug: string): Promise<string> {
  const id = randomUUID()
  await pg.query(
    `insert into teams (id, organization_id, slug, name) values ($2, ${organization}, $3, 'Back end')`,
    [projectId, id, slug],
  )
  return id
}

async function issues() {
  const { rows } = await pg.query(
    `select title, assignee, assignee_team, triage_reason from issues where project_id = $1 order by title`,
    [project],
  )
  return rows
}

async function activity() {
  const { rows } = await pg.query(
    `select kind, actor, data from issue_activity join issues on issues.id = issue_id where project_id = $1 order by data -> 'to' ->> 'type'`,
    [project],
  )
  return rows
}

const email = () => `ada-${project}@example.com`
const commit = (owners: Readonly<Record<string, readonly string[]>>) =>
  partition.commit({
    issues: Object.entries(owners).map(([name, names]) =>
      sumOf(project, [name], { owners: names }),
    ),
  })

test('a new issue belongs to the first owner that exists, and stays in the queue', async () => {
  await commit({
    a: [email(), '#server'],
    b: ['#nobody', 'x@y.test', '#server'],
    c: ['#nobody'],
    d: [],
  })
  const none = { assignee: null, assignee_team: null, triage_reason: 'new' }
  expect(await issues()).toEqual([
    { ...none, title: 'a', assignee: person },
    { ...none, title: 'b', assignee_team: team },
    { ...none, title: 'c' },
    { ...none, title: 'd' },
  ])
  const actor = { type: 'system', label: 'ownership rules' }
  expect(await activity()).toEqual([
    { kind: 'assigned', actor, data: { to: { type: 'person', id: person, name: 'Ada' } } },
    { kind: 'assigned', actor, data: { to: { type: 'team', id: team, name: 'Back end' } } },
  ])
})

test('an issue that exists keeps its assignee', async () => {
  await commit({ a: [] })
  await commit({ a: ['#server'] })
  expect(await issues()).toMatchObject([{ assignee_team: null }])
  expect(await activity()).toEqual([])
})

test('people and teams of another organization own nothing', async () => {
  const other = await addProject(pg)
  await addMember(other, `eve-${other}@example.com`)
  await addTeam(other, 'foreign')
  await commit({ a: [`eve-${other}@example.com`, '#foreign'] })
  expect(await issues()).toMatchObject([{ assignee: null, assignee_team: null }])
})

test('a person who is being deleted does not fail the commit', async () => {
  const deleter = await pg.connect()
  try {
    await deleter.query('begin')
    await deleter.query('delete from people where id = $1', [person])
    await commit({ a: [email()] })
    await deleter.query('commit')
  } finally {
    deleter.release()
  }
  expect(await issues()).toMatchObject([{ assignee: null }])
})

test('only projects with rules or with an issue that waits for users have rules', async () => {
  expect(await readIssueRules(pg, [project])).toEqual([])
  await pg.query(`update projects set ownership = '* #server' where dsn_id = $1`, [project])
  expect(await readIssueRules(pg, [project])).toEqual([
    { projectId: project, ownership: '* #server', countsUsers: false },
  ])
  await commit({ a: [] })
  await pg.query(
    `update issues set status = 'ignored', ignored_until_users = 3 where project_id = $1`,
    [project],
  )
  expect(await readIssueRules(pg, [project])).toMatchObject([{ countsUsers: true }])
})
