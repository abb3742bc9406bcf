/** Dead letters and failed jobs over HTTP, as the operator lists, retries and deletes them. */
import { describe, expect, test } from 'vitest'
import { operationDeskOfThisFile } from '../../test/fixtures/operation/operation-desk.ts'

const desk = operationDeskOfThisFile()
const { api, get, post, keep, addJob } = desk

describe('dead letters', () => {
  test('are listed by pages without their payload', async () => {
    const first = await keep({ bytes: '{"secret":"payload"}' })
    const second = await keep({ tenant: desk.blog })
    const frame = await keep({ tenant: null })
    const page = await get('/dead-letters?limit=2')
    expect(page.body.items).toMatchObject([
      { id: frame, reason: 'unreadable_frame', project: null, kind: null, retryable: false },
      { id: second, project: { id: desk.blog.project.id, name: 'Blog' }, retryable: true },
    ])
    const next = await get(`/dead-letters?limit=2&cursor=${page.body.next_cursor}`)
    expect(next.body).toEqual({
      items: [
        {
          id: first,
          reason: 'undigestible',
          state: 'waiting',
          retryable: true,
          error: 'a store refused it',
          kind: 'event',
          project: { id: desk.shop.project.id, name: 'Shop' },
          subject: 'ingest.2',
          partition: 2,
          sequence: desk.sequence - 2,
          size_bytes: 20,
          received_at: '2026-11-20T12:00:00.123Z',
          at: expect.any(String),
        },
      ],
      next_cursor: null,
    })
    const ids = async (query: string) =>
      (await get(`/dead-letters?${query}`)).body.items.map(({ id }: { id: number }) => id)
    expect(await ids('reason=unreadable_frame')).toEqual([frame])
    expect(await ids(`project_id=${desk.blog.project.id}`)).toEqual([second])
  })

  test('one is shown with a bounded excerpt', async () => {
    const long = JSON.stringify('é'.repeat(70_000))
    const shown = await get(`/dead-letters/${await keep({ bytes: long })}`)
    expect(shown.body).toMatchObject({
      header: { component: 'w' },
      payload: { encoding: 'text', truncated: true },
    })
    expect(shown.body.payload.excerpt).toHaveLength(65_536)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['GET',  '/dead-letters/0',                    undefined,                    404],
    ['GET',  '/dead-letters/x',                    undefined,                    404],
    ['GET',  '/dead-letters/99999999999999999999', undefined,                    404],
    ['GET',  '/dead-letters/-1',                   undefined,                    404],
    ['GET',  '/dead-letters?cursor=WyIxIl0',       undefined,                    400],
    ['GET',  '/dead-letters?cursor=WzFlOTld',      undefined,                    400],
    ['GET',  '/dead-letters?reason=x',             undefined,                    400],
    ['GET',  '/dead-letters?project_id=x',         undefined,                    400],
    ['GET',  '/dead-letters?project_id=019ab0c4-6d1e-7c3a-9f20-5d7d3f6f2a10', undefined, 404],
    ['POST', '/dead-letters/delete',               {},                           400],
    ['POST', '/dead-letters/delete',               { all: false },               400],
    ['POST', '/dead-letters/delete',               { all: true, ids: [1] },      400],
    ['POST', '/dead-letters/delete',               { al: true },                 400],
    ['POST', '/dead-letters/delete',               { ids: [] },                  400],
    ['POST', '/dead-letters/delete',               { ids: [1e300] },             400],
    ['POST', '/dead-letters/delete',               { ids: Array.from({ length: 1001 }, () => 1) }, 400],
    ['POST', '/dead-letters/retry',                { ids: [999_999_999] },       404],
    ['GET',  '/jobs?cursor=WyJ4Il0',               undefined,                    400],
    ['GET',  '/jobs?cursor=WyI5OTk5OTk5OTk5OTk5OTk5OTkiXQ', undefined,           200],
    ['GET',  '/jobs?task=%00',                     undefined,                    400],
    ['POST', '/jobs/retry',                        {},                           400],
    ['POST', '/jobs/retry',                        { ids: ['999999999999999999999'] }, 400],
    ['POST', '/jobs/retry',                        { ids: ['999999999999999999'] }, 200],
    ['POST', '/jobs/retry',                        { task: `'; drop` },          200],
  ] as const)('%s %s with %j is answered %s: %i', async (method, path, body, status) => {
    const id = await keep()
    const answer = await (method === 'GET' ? get(path) : post(path, body))
    expect([answer.status, answer.body]).toEqual([status, answer.body])
    expect((await get(`/dead-letters/${id}`)).status).toBe(200)
  })

  test('are retried and deleted, with an entry in the log of each organization', async () => {
    const ofShop = await keep()
    const ofBlog = await keep({ tenant: desk.blog })
    const frame = await keep({ tenant: null })
    const refused = await post('/dead-letters/retry', { ids: [frame] })
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict'])
    const retried = await post('/dead-letters/retry', { ids: [ofShop, ofBlog, frame, 999_999_999] })
    expect(retried.body).toEqual({
      requested: 2,
      already_retrying: 0,
      not_retryable: 1,
      left: 0,
    })
    expect((await get(`/dead-letters/${ofBlog}`)).body.state).toBe('retrying')
    const deleted = await post('/dead-letters/delete', { all: true })
    expect(deleted.body).toEqual({ deleted: 1, retrying: 2, left: 0 })
    const { rows } = await api().pool.query(
      `select organization_id, person_id, actor, action, ip is null as hidden from audit_log
       where action like 'dead_letter.%' order by id`,
    )
    const own = {
      organization_id: desk.shop.organizationId,
      person_id: desk.operator.personId,
      actor: desk.operator.email,
      hidden: false,
    }
    expect(rows).toHaveLength(3)
    expect(rows).toContainEqual({ ...own, action: 'dead_letter.retried' })
    expect(rows).toContainEqual({ ...own, action: 'dead_letter.dropped' })
    expect(rows).toContainEqual({
      organization_id: desk.blog.organizationId,
      person_id: null,
      actor: desk.operator.email,
      hidden: true,
      action: 'dead_letter.retried',
    })
  })

  test('of one project or reason are deleted alone', async () => {
    const ofShop = await keep()
    await keep({ tenant: desk.blog })
    const body = { project_id: desk.blog.project.id, reason: 'undigestible' }
    expect((await post('/dead-letters/delete', body)).body.deleted).toBe(1)
    expect((await get('/dead-letters')).body.items).toMatchObject([{ id: ofShop }])
  })
})

describe('jobs', () => {
  test('that failed are listed by pages, without their payload', async () => {
    const older = await addJob('deliver', { attempts: 25, error: 'x'.repeat(5_000) })
    const newer = await addJob('import', { attempts: 25, error: 'no' })
    const retrying = await addJob('import', { attempts: 3, error: 'later', dueIn: '1 hour' })
    await addJob('import', { attempts: 25, error: 'runs', locked: true })
    await addJob('import', {})
    const page = await get('/jobs?limit=1')
    expect(page.body.items).toEqual([
      {
        id: newer,
        task: 'import',
        state: 'failed',
        attempts: 25,
        max_attempts: 25,
        error: 'no',
        created_at: expect.any(String),
        failed_at: expect.any(String),
        next_attempt_at: null,
      },
    ])
    const next = await get(`/jobs?limit=1&cursor=${page.body.next_cursor}`)
    expect(next.body.items).toMatchObject([{ id: older }])
    expect(next.body.items[0].error).toHaveLength(4_000)
    expect(next.body.next_cursor).toBeNull()
    expect(JSON.stringify(page.body)).not.toContain('person@desk.shop.test')
    expect((await get('/jobs?state=retrying')).body.items).toMatchObject([
      { id: retrying, next_attempt_at: expect.any(String) },
    ])
    expect((await get('/jobs?task=deliver')).body.items).toMatchObject([{ id: older }])
  })

  test('get all their attempts again', async () => {
    const failed = await addJob('deliver', { attempts: 25, error: 'no' })
    const other = await addJob('import', { attempts: 25, error: 'no' })
    const running = await addJob('deliver', { attempts: 25, error: 'no', locked: true })
    const waiting = await addJob('deliver', { attempts: 2, dueIn: '1 hour' })
    const ids = [running, waiting]
    expect((await post('/jobs/retry', { ids })).body).toEqual({ requested: 0, left: 0 })
    expect((await post('/jobs/retry', { task: 'deliver' })).body).toEqual({ requested: 1, left: 0 })
    const { rows } = await api().pool.query(
      'select id::text, attempts from graphile_worker._private_jobs where attempts = 0',
    )
    expect(rows).toEqual([{ id: failed, attempts: 0 }])
    expect((await post('/jobs/retry', { all: true })).body).toEqual({ requested: 1, left: 0 })
    expect((await get('/jobs')).body.items).toEqual([])
    const entries = await api().pool.query(
      `select details -> 'ids' as ids from audit_log where action = 'job.retried' order by id`,
    )
    expect(entries.rows).toEqual([{ ids: [failed] }, { ids: [other] }])
  })
})
