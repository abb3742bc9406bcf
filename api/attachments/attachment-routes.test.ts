import { beforeAll, describe, expect, test } from 'vitest'
import { attachmentKey } from '#platform/objects/attachment-key.ts'
import { dashed } from '#schemas/ids.ts'
import { apiOfThisFile, hex, type Tenant } from '../../test/fixtures/api-fixture.ts'

const api = apiOfThisFile()
let tenant: Tenant
const eventId = hex('e')
const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1')

/** A file as ingest and workers leave it. */
async function addFile(
  file: { readonly name: string; readonly type?: string; readonly contentType?: string },
  content: string | Buffer | undefined,
): Promise<string> {
  const bytes = content === undefined ? undefined : Buffer.from(content)
  const sha256 = hex(file.name).repeat(2)
  const id = dashed(hex(`file ${file.name}`))
  const storedOn = '2026-11-20'
  await api().pool.query(
    `insert into event_attachments (project_id, event_id, id, name, type, content_type, size, sha256,
       stored_on, received_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, decode($8, 'hex'), $9, '2026-11-20T01:00:00Z', '2027-02-18T01:00:00Z')`,
    [
      tenant.project.dsnId,
      dashed(eventId),
      id,
      file.name,
      file.type ?? 'event.attachment',
      file.contentType ?? null,
      bytes?.length ?? 0,
      sha256,
      storedOn,
    ],
  )
  const key = attachmentKey({ projectId: tenant.project.dsnId, storedOn, sha256 })
  if (bytes !== undefined) await api().objects.put(key, bytes)
  return id
}

beforeAll(async () => {
  tenant = await api().tenant('Files')
})
const pathOf = (id: string) => `/events/${eventId}/attachments/${id}`
const get = (path: string) => api().of(tenant, path)

test('the files of an event, and how each can be shown', async () => {
  await addFile({ name: 'screen.png', contentType: 'image/png' }, png)
  await addFile({ name: 'tree.json', type: 'event.view_hierarchy' }, '{"windows":[]}')
  await addFile({ name: 'crash.dmp', type: 'event.minidump' }, 'MDMP')
  const { body } = await get(`/events/${eventId}/attachments`)
  expect(body.items.map(({ name, shows }: Record<string, string>) => [name, shows])).toEqual([
    ['crash.dmp', 'none'],
    ['screen.png', 'image'],
    ['tree.json', 'view_hierarchy'],
  ])
  expect(body.items[1]).toMatchObject({
    event_id: eventId,
    content_type: 'image/png',
    size: png.length,
    received_at: '2026-11-20T01:00:00.000Z',
    expires_at: '2027-02-18T01:00:00.000Z',
  })
})

describe('a download', () => {
  test.each([
    ['page.html', 'text/html', '<script>alert(1)</script>', 'inline=true'],
    ['page.html', 'text/html', '<script>alert(1)</script>', ''],
    ['picture.svg', 'image/svg+xml', '<svg onload="alert(1)"/>', 'inline=true'],
    ['lie.png', 'image/png', '<script>alert(1)</script>', 'inline=true'],
    ['real.png', 'image/png', png, ''],
  ])('%s (%s) is saved and never run', async (name, contentType, content, query) => {
    const id = await addFile({ name: `${query}${name}`, contentType }, content)
    const { status, headers } = await get(`${pathOf(id)}?${query}`)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/octet-stream')
    expect(headers['content-disposition']).toMatch(/^attachment; /)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'/)
  })

  test('a picture can be shown', async () => {
    const id = await addFile({ name: 'any name' }, png)
    const { headers } = await get(`${pathOf(id)}?inline=true`)
    expect(headers['content-type']).toBe('image/png')
    expect(headers['content-disposition']).toMatch(/^inline; /)
    expect(headers['content-security-policy']).toMatch(/^sandbox; /)
  })

  test('no name breaks out of the header', async () => {
    const id = await addFile({ name: 'a"; x=y\u202e.exe é.txt' }, 'abc')
    const { headers } = await get(pathOf(id))
    expect(headers['content-disposition']).toBe(
      `attachment; filename="a__ x_y_.exe _.txt"; filename*=UTF-8''a%22%3B%20x%3Dy%E2%80%AE.exe%20%C3%A9.txt`,
    )
  })

  test('a file whose bytes are gone, and ids of nothing, are 404; a store that is away is 503', async () => {
    const gone = await addFile({ name: 'gone.txt' }, undefined)
    expect((await get(pathOf(gone))).status).toBe(404)
    for (const id of ['x', dashed(hex('nothing')), '..%2f..']) {
      expect((await get(pathOf(id))).status).toBe(404)
    }
    api().objects.fails = 'throws'
    expect((await get(pathOf(gone))).status).toBe(503)
    api().objects.fails = undefined
  })
})

describe('a preview', () => {
  test('is the beginning of a text', async () => {
    const text = `é${'x'.repeat(70_000)}`
    const id = await addFile({ name: 'large.log' }, text)
    const { body } = await get(`${pathOf(id)}/preview`)
    expect(body.is_cut).toBe(true)
    expect(text.startsWith(body.text)).toBe(true)
    expect(Buffer.byteLength(body.text)).toBe(64 * 1024)
  })

  test('does not exist of a picture or a dump', async () => {
    for (const name of ['p.png', 'd.dmp']) {
      const id = await addFile({ name }, png)
      expect((await get(`${pathOf(id)}/preview`)).status).toBe(404)
    }
  })
})

test('a file that was deleted is gone and noted for the sweep; a viewer may not delete', async () => {
  const id = await addFile({ name: 'delete me.txt' }, 'abc')
  const reader = await api().tenant('Reader')
  const path = pathOf(id)
  const foreign = await api().of(tenant, path, { method: 'DELETE', token: reader.token })
  expect(foreign.status).toBe(404)
  expect((await api().of(tenant, path, { method: 'DELETE' })).status).toBe(200)
  expect((await get(path)).status).toBe(404)
  expect((await api().of(tenant, path, { method: 'DELETE' })).status).toBe(404)
  const { rows } = await api().pool.query(
    `select from attachment_removals where sha256 = decode($1, 'hex')`,
    [hex('delete me.txt').repeat(2)],
  )
  expect(rows).toHaveLength(1)
})
