/**
 * Issues are merged, unmerged and deleted while events arrive, through ingest, the workers and the
 * API.
 */
import { expect, test } from 'vitest'
import type { IssueDetail, IssueItem } from '#schemas/rest/issue.ts'
import type { IssueDeletion } from '#schemas/rest/issue-merge.ts'
import { commonProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = commonProduct()

interface Sent {
  readonly id: string
  readonly type: string
  readonly user?: string
  readonly fields?: object
}

async function send(project: TestProject, { id, type, user, fields }: Sent): Promise<void> {
  const frame = { module: 'shop.cart', function: `throw${type}`, in_app: true }
  const event = {
    event_id: id,
    platform: 'node',
    exception: { values: [{ type, value: 'no', stacktrace: { frames: [frame] } }] },
    ...(user === undefined ? {} : { user: { id: user } }),
    ...fields,
  }
  const body = `{"event_id":"${id}"}\n{"type":"event"}\n${JSON.stringify(event)}\n`
  expect((await project.send({ method: 'POST', body })).status).toBe(200)
}

const idOf = (no: number) => no.toString(16).padStart(32, '1')

async function issueOf(project: TestProject, type: string): Promise<IssueItem> {
  const issue = (await project.issues()).find(({ title }) => title.startsWith(type))
  if (issue === undefined) throw new Error(`there is no issue of ${type}`)
  return issue
}

const post = <Body>(project: TestProject, path: string, body: unknown) =>
  project.api<Body>(path, { method: 'POST', body: JSON.stringify(body) })

test('a merge and its undo keep the events that arrive in between', async () => {
  const project = await product().projectAtOnce('merge')
  await send(project, { id: idOf(1), type: 'Alpha', user: 'ann' })
  await send(project, { id: idOf(2), type: 'Beta', user: 'bob' })
  await project.hasEvents(2)
  const [a, b] = [await issueOf(project, 'Alpha'), await issueOf(project, 'Beta')]
  const hashes = await product().postgres.query<{ hash: string }>(
    'select hash from issue_hashes where issue_id = $1',
    [a.id],
  )

  const merged = await post<IssueItem>(project, `/issues/${a.id}/merge`, { into: b.id })
  expect(merged.body).toMatchObject({ id: b.id, count: 2, user_count: 2 })
  await send(project, { id: idOf(3), type: 'Alpha', user: 'cid' })
  await project.hasEvents(3)
  const whole = (await project.api<IssueDetail>(`/issues/${a.id}`)).body
  expect(whole).toMatchObject({ id: b.id, count: 3, user_count: 3 })
  expect(whole.series_24h.at(-1)).toBe(3)
  expect((await project.events()).map(({ issue_id }) => issue_id)).toEqual([b.id, b.id, b.id])

  const split = await post<{ issue: IssueItem; issues: IssueItem[] }>(
    project,
    `/issues/${b.id}/unmerge`,
    { hashes: hashes.rows.map(({ hash }) => hash) },
  )
  expect(split.body.issue).toMatchObject({ id: b.id, count: 1, user_count: 1 })
  expect(split.body.issues).toMatchObject([{ id: a.id, count: 2, user_count: 2 }])
  await send(project, { id: idOf(4), type: 'Alpha' })
  await project.hasEvents(4)
  expect((await issueOf(project, 'Alpha')).count).toBe(3)
})

test('deleting an issue deletes its events; the same error creates a new issue, and a copy is still a duplicate', async () => {
  const project = await product().projectAtOnce('delete')
  await send(project, { id: idOf(11), type: 'Gone' })
  await send(project, { id: idOf(12), type: 'Stays' })
  await project.hasEvents(2)
  const gone = await issueOf(project, 'Gone')
  const remove = () => project.api<IssueDeletion>(`/issues/${gone.id}`, { method: 'DELETE' })
  const answer = await remove()
  expect(answer).toMatchObject({ status: 202, body: { event_count: 1 } })
  await send(project, { id: idOf(13), type: 'Gone' })
  await send(project, { id: idOf(11), type: 'Gone' })
  await waitUntil('the deletion', async () => (await remove()).body.status === 'deleted')
  await project.hasAccounting({ 'accepted error': 3, 'duplicate error': 1 })
  expect((await project.events()).map(({ id }) => id).sort()).toEqual([idOf(12), idOf(13)])
  expect((await issueOf(project, 'Gone')).id).not.toBe(gone.id)
  // Every accepted event is counted on an issue or was deleted with one.
  expect(await project.countedEvents()).toBe(3 - answer.body.event_count)
  expect((await project.api(`/issues/${gone.id}`)).status).toBe(404)
})

test('burst protection groups many new issues of one kind into one issue', async () => {
  const project = await product().projectAtOnce('burst')
  for (let no = 0; no < 230; no += 1) {
    const fields = { fingerprint: ['each its own', `${no}`] }
    await send(project, { id: idOf(1_000 + no), type: 'Burst', fields })
  }
  await project.hasEvents(230)
  const { rows } = await product().postgres.query<{ count: number }>(
    'select count from issues where project_id = $1 order by count desc',
    [project.dsnId],
  )
  expect(rows.map(({ count }) => count)).toEqual([30, ...Array.from({ length: 200 }, () => 1)])
})
