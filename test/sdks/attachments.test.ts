/** Files of a real SDK and of crash reporters, from the client to the API. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callSettings } from '../fixtures/change-settings.ts'
import { formType, makeForm } from '../fixtures/minidump/make-form.ts'
import { linuxCrash, makeMinidump } from '../fixtures/minidump/make-minidump.ts'
import { runClient } from '../fixtures/processes/run-client.ts'
import { commonProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = commonProduct()

interface FileList {
  readonly items: readonly {
    readonly id: string
    readonly name: string
    readonly size: number
    readonly type: string
    readonly shows: string
  }[]
}

async function keepingProject(name: string): Promise<TestProject> {
  const project = await product().project(name)
  const body = { attachments: { keep: true } }
  const changed = await callSettings(product(), project, { method: 'PUT', path: '/settings', body })
  expect(changed.body.attachments).toEqual({ keep: true, megabytes_per_day: 1024 })
  return project
}

async function filesOf(project: TestProject, eventId: string, count: number) {
  const path = `/events/${eventId}/attachments`
  const list = await waitUntil(`${count} files of event ${eventId}`, async () => {
    const { body } = await project.api<FileList>(path)
    return body.items.length >= count ? body.items : undefined
  })
  return list
}

test.each(['@sentry/node', '@sentry/node-10'])(
  '%s: a file of an event can be read',
  async (sdk) => {
    const project = await keepingProject(`files of ${sdk}`)
    const report = await runClient('node-sdk.mjs', sdk, 'attachment', project.dsn)
    expect(report).toMatchObject({ code: 0, flushed: true, losses: [] })
    const [eventId = ''] = report.eventIds
    const [file] = await filesOf(project, eventId, 1)
    expect(file).toMatchObject({ name: 'notes.txt', size: 18, shows: 'text' })
    const path = `/events/${eventId}/attachments/${file?.id}`
    const preview = await project.api<{ text: string }>(`${path}/preview`)
    expect(preview.body.text).toBe('line one\nline two\n')
    await project.hasEvents(1)
    const days = await readdir(join(product().stack.dataDir, 'objects', 'attachments'))
    expect(days.length).toBeGreaterThan(0)
  },
)

test('a minidump is an event with its file', async () => {
  const project = await keepingProject('a minidump')
  const dump = makeMinidump(linuxCrash)
  const form = makeForm([
    { name: 'sentry', content: '{"release":"shop@1.4.0"}' },
    { name: 'upload_file_minidump', fileName: 'a.dmp', content: dump },
  ])
  const dsn = new URL(project.dsn)
  const url = `${dsn.origin}/api/${project.dsnId}/minidump/?sentry_key=${dsn.username}`
  const reply = await fetch(url, {
    method: 'POST',
    body: new Uint8Array(form),
    headers: { 'content-type': formType },
  })
  expect(reply.status).toBe(200)
  const eventId = (await reply.text()).replaceAll('-', '')
  await project.hasEvents(1)
  const event = await project.event(eventId)
  expect(event).toMatchObject({ release: 'shop@1.4.0', platform: 'native', level: 'fatal' })
  expect(event.title).toContain('SIGSEGV')
  const [file] = await filesOf(project, eventId, 1)
  expect(file).toMatchObject({ name: 'a.dmp', type: 'event.minidump', size: dump.length })
})
