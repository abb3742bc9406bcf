/**
 * Attachments in a bucket, in the running product: ingest is killed between the object and its
 * record, and the bucket is away.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callSettings } from '../fixtures/change-settings.ts'
import { RunningProduct } from '../fixtures/processes/running-product.ts'
import { type S3Server, startS3Server } from '../fixtures/processes/s3-server.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

let s3: S3Server
let product: RunningProduct
let project: TestProject
beforeAll(async () => {
  s3 = await startS3Server()
  const { S3_ENDPOINT, S3_REGION, ...keys } = s3.env
  product = await RunningProduct.start({
    env: {
      OBJECT_STORE_URL: `s3://${s3.bucket}/files?endpoint=${S3_ENDPOINT}&region=${S3_REGION}`,
      ...keys,
      // Each ingest process is killed with its second file.
      SLUICE_FAILPOINTS: 'ingest.after_objects=kill@2',
    },
  })
  project = await product.project('files in a bucket')
  const body = { attachments: { keep: true } }
  await callSettings(product, project, { method: 'PUT', path: '/settings', body })
})
afterAll(async () => {
  await product?.stop()
  await s3?.stop()
})

interface FileList {
  readonly items: readonly { readonly id: string; readonly name: string; readonly size: number }[]
}

/** An envelope with an event and a file of it. */
function envelopeOf(eventId: string, content: string): Buffer {
  const event = JSON.stringify({ event_id: eventId, message: 'it broke', platform: 'node' })
  const file = Buffer.from(content)
  return Buffer.concat([
    Buffer.from(`{"event_id":"${eventId}"}\n`),
    Buffer.from(`{"type":"event","length":${Buffer.byteLength(event)}}\n${event}\n`),
    Buffer.from(`{"type":"attachment","length":${file.length},"filename":"a.txt"}\n`),
    file,
    Buffer.from('\n'),
  ])
}

const newId = () => randomUUID().replaceAll('-', '')

/** The status; undefined when the connection broke. */
async function post(body: Buffer): Promise<number | undefined> {
  const url = `${product.stack.urls.ingest}${project.path()}`
  try {
    const reply = await fetch(url, { method: 'POST', body: new Uint8Array(body) })
    return reply.status
  } catch {
    return undefined
  }
}

/** As an SDK with a store for offline times: until a reply comes. */
function send(body: Buffer): Promise<number> {
  return waitUntil('ingest replies', async () => await post(body))
}

async function filesOf(eventId: string): Promise<FileList['items']> {
  const { body } = await project.api<FileList>(`/events/${eventId}/attachments`)
  return body.items
}

async function contentOf(eventId: string): Promise<string> {
  const files = await waitUntil('the file is listed', async () => {
    const found = await filesOf(eventId)
    return found.length > 0 ? found : undefined
  })
  expect(files).toHaveLength(1)
  const { urls } = product.stack
  const path = `/events/${eventId}/attachments/${files[0]?.id}`
  const reply = await fetch(`${urls.api}/api/v1/projects/${project.id}${path}`, {
    headers: { 'x-api-key': project.token },
  })
  return reply.text()
}

test('a kill between the object and its record loses neither event nor file, and stores each once', async () => {
  const first = newId()
  expect(await send(envelopeOf(first, 'one'))).toBe(200)
  expect(await contentOf(first)).toBe('one')
  const keys = [...s3.objects.keys()]
  expect(keys).toHaveLength(1)
  expect(keys[0]).toMatch(/^files\/attachments\/\d{4}-\d\d-\d\d\/\d+\//)

  const second = newId()
  const body = envelopeOf(second, 'two')
  // The object is there, and no record names it.
  expect(await post(body)).toBe(undefined)
  expect(s3.objects.size).toBe(2)
  // The client sends again.
  expect(await send(body)).toBe(200)
  expect(await contentOf(second)).toBe('two')
  expect(s3.objects.size).toBe(2)
  await project.hasEvents(2)
  // And once more: a duplicate, by another process.
  expect(await post(body)).toBe(undefined)
  expect(await send(body)).toBe(200)
  await project.hasEvents(2)
  expect(await filesOf(second)).toHaveLength(1)
})

test('an object whose record was never written is no file, and the next ones are kept', async () => {
  // The last process has passed the failpoint once.
  const lost = newId()
  expect(await post(envelopeOf(lost, 'lost'))).toBe(undefined)
  const objects = s3.objects.size
  const next = newId()
  expect(await send(envelopeOf(next, 'next'))).toBe(200)
  expect(await contentOf(next)).toBe('next')
  expect(await filesOf(lost)).toEqual([])
  expect(s3.objects.size).toBe(objects + 1)
})

test('a file that expires is removed with its bytes, and the others stay', async () => {
  const [expired, kept] = [newId(), newId()]
  for (const id of [expired, kept]) {
    expect(await send(envelopeOf(id, `file of ${id}`))).toBe(200)
    expect(await contentOf(id)).toBe(`file of ${id}`)
  }
  await moveBack()
  // Until a killed process has settled, a day that was not swept before is not swept.
  await product.postgres.query(
    `insert into attachment_sweeps (day, positions, noted_at, swept_at)
     values (current_date - 2, '{}', now(), now())
     on conflict (day) do update set swept_at = now()`,
  )
  await product.postgres.query(
    `update event_attachments set expires_at = now() - interval '1 minute' where event_id = $1`,
    [expired],
  )
  const contents = () => [...s3.objects.values()].map(String)
  await waitUntil('the object of the expired file is removed', async () => {
    for (const task of ['expire_rows', 'sweep_attachments']) {
      await product.postgres.query(
        `select graphile_worker.add_job($1::text, job_key := 'cron:' || $1)`,
        [task],
      )
    }
    return contents().includes(`file of ${expired}`) ? undefined : true
  })
  expect(await filesOf(expired)).toEqual([])
  expect(await contentOf(kept)).toBe(`file of ${kept}`)
  expect(contents()).toContain(`file of ${kept}`)
})

/** Objects of today and yesterday are not removed: these were stored five days ago. */
async function moveBack(): Promise<void> {
  const { rows } = await product.postgres.query<{ day: string; before: string }>(
    `update event_attachments now set stored_on = stored_on - 5
     returning (stored_on + 5)::text as day, stored_on::text as before`,
  )
  for (const { day, before } of rows) {
    for (const [key, content] of [...s3.objects]) {
      if (!key.includes(`/${day}/`)) continue
      s3.objects.set(key.replace(`/${day}/`, `/${before}/`), content)
      s3.objects.delete(key)
    }
  }
}

test('while the bucket is away events are accepted, and afterwards their files, too', async () => {
  const puts = () => s3.requests.filter((request) => request.startsWith('PUT')).length
  const before = puts()
  s3.failures.push(503, 503)
  const withoutFile = newId()
  expect(await send(envelopeOf(withoutFile, 'away'))).toBe(200)
  expect(puts()).toBe(before + 2)
  // The bucket is left alone for a while.
  const refused = newId()
  expect(await send(envelopeOf(refused, 'refused'))).toBe(200)
  expect(puts()).toBe(before + 2)
  await project.hasAccountingAmong({ 'rejected storage_unavailable attachment': 2 })
  for (const id of [withoutFile, refused]) {
    await waitUntil('the event is stored', async () => {
      const { status } = await project.api(`/events/${id}`)
      return status === 200 ? true : undefined
    })
    expect(await filesOf(id)).toEqual([])
  }
})
