/** Files of events, from the request to the object store and the records on the broker. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { attachmentBytesMax, attachmentsPerEventMax, MiB } from '#schemas/limits.ts'
import { envelopePath, id, message, serveTests } from '../../test/fixtures/ingest/http-fixture.ts'
import { formType, makeForm } from '../../test/fixtures/minidump/make-form.ts'
import { makeMinidump, windowsCrash } from '../../test/fixtures/minidump/make-minidump.ts'
import { makeUnreal } from '../../test/fixtures/minidump/make-unreal.ts'

const server = serveTests()
const event = `{"type":"event","length":${message.length}}\n${message}\n`
const file = (content: string, header: object = {}) =>
  `${JSON.stringify({ type: 'attachment', length: content.length, ...header })}\n${content}\n`
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const today = () => new Date(server.nowMs ?? 0).toISOString().slice(0, 10)

let project: ReturnType<typeof server.project>
beforeEach(() => {
  server.objects.files.clear()
  server.objects.puts = 0
  server.objects.fails = undefined
  server.byteQuota.isAway = false
  server.byteQuota.requests.length = 0
  // Beyond the pause that a failure of an earlier test has caused.
  server.passedMs += 60_000
  project = server.project({}, { bytesPerDayMax: 100 * MiB })
  server.nowMs = Date.UTC(2026, 10, 23, 12)
})
const send = (...items: string[]) =>
  server.post(project.path, `{"event_id":"${id}"}\n${items.join('')}`)

describe('a project that keeps no attachments', () => {
  test('counts them and stores nothing', async () => {
    const reply = await server.post(envelopePath, `{"event_id":"${id}"}\n${event}${file('abc')}`)
    expect(reply.text).toBe(`{"id":"${id}"}`)
    expect(server.events()).toEqual([message])
    expect(server.outcomes()).toEqual(['unsupported unsupported:attachment 1'])
    expect(server.objects.puts).toBe(0)
    expect(server.byteQuota.requests).toEqual([])
  })
})

test('the file is stored under its day, project and hash, and its record names it', async () => {
  const header = { filename: '../a/screen.png', content_type: 'image/png' }
  const reply = await send(event, file('abc', header))
  expect(reply.status).toBe(200)
  expect(reply.text).toBe(`{"id":"${id}"}`)
  expect(server.events()).toEqual([message])
  expect(server.outcomes()).toEqual([])
  expect(server.attachments()).toEqual([
    {
      event_id: id,
      name: 'screen.png',
      type: 'event.attachment',
      content_type: 'image/png',
      size: 3,
      sha256: sha256('abc'),
      stored_on: '2026-11-23',
    },
  ])
  const hash = sha256('abc')
  const key = `attachments/${today()}/${project.projectId}/${hash.slice(0, 2)}/${hash}`
  expect([...server.objects.files]).toEqual([[key, Buffer.from('abc')]])
})

test('one content is stored once, and each of its files has a record', async () => {
  await send(event, file('abc', { filename: 'a' }), file('abc', { filename: 'b' }))
  await send(file('abc', { filename: 'c' }))
  expect(server.attachments().map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  expect(server.objects.puts).toBe(1)
})

test('a request that is repeated has the same ids, and equal files of one request have not', async () => {
  const ids = () =>
    server
      .records()
      .filter(({ kind }) => kind === 'attachment')
      .map(({ recordId }) => recordId)
  await send(event, file('abc'), file('abc'))
  const first = ids()
  expect(new Set(first).size).toBe(2)
  server.frames.length = 0
  await send(event, file('abc'), file('abc'))
  expect(ids()).toEqual(first)
})

test('a file alone belongs to the event of the envelope; without one it is refused', async () => {
  await send(file('abc'))
  expect(server.attachments()).toHaveLength(1)
  const reply = await server.post(project.path, `{}\n${file('abc')}`)
  expect(reply.status).toBe(200)
  expect(server.outcomes()).toEqual(['rejected invalid_attachment 1'])
  await server.post(project.path, `{"event_id":"${id}"}\n{"type":"transaction"}\n{}\n${file('x')}`)
  expect(server.attachments()).toHaveLength(1)
  expect(server.outcomes().slice(1).sort()).toEqual([
    'unsupported unsupported:attachment 1',
    'unsupported unsupported:transaction 1',
  ])
})

describe('limits', () => {
  test('ten thousand files are too many items of an envelope', async () => {
    const reply = await send(event, file('x').repeat(10_000))
    expect(reply.status).toBe(413)
    expect(server.objects.puts).toBe(0)
  })

  test('files beyond the number of an event are counted, over several requests', async () => {
    const files = Array.from({ length: attachmentsPerEventMax + 5 }, (_, no) => file(`${no}`))
    const own = { path: project.path.replace('{}', '') }
    await server.post(own.path, `{"event_id":"${'b'.repeat(32)}"}\n${event}${files.join('')}`)
    expect(server.attachments()).toHaveLength(attachmentsPerEventMax)
    expect(server.outcomes()).toEqual(['rejected too_many_items 5'])
    await server.post(own.path, `{"event_id":"${'b'.repeat(32)}"}\n${file('one more')}`)
    expect(server.attachments()).toHaveLength(attachmentsPerEventMax)
    expect(server.events()).toHaveLength(1)
  })

  test('a file that is too large is refused, its event is not, and bombs inflate to the limit', async () => {
    const large = 'x'.repeat(attachmentBytesMax + 1)
    const bomb = gzipSync(`{"event_id":"${id}"}\n${event}${file(large)}${file('small')}`)
    const reply = await server.post(project.path, new Uint8Array(bomb), {
      'content-encoding': 'gzip',
    })
    expect(reply.status).toBe(200)
    expect(server.events()).toHaveLength(1)
    expect(server.attachments().map(({ size }) => size)).toEqual([5])
    expect(server.outcomes()).toEqual(['rejected too_large 1'])
  })

  test('the bytes of a day', async () => {
    project = server.project({}, { bytesPerDayMax: 1_000 })
    await send(event, file('a'.repeat(900)), file('b'.repeat(200)), file('c'.repeat(50)))
    expect(server.attachments().map(({ size }) => size)).toEqual([900, 50])
    expect(server.outcomes()).toEqual(['over_quota attachment_bytes 1'])
    server.nowMs = Date.UTC(2026, 10, 24, 12)
    await send(file('d'.repeat(200)))
    expect(server.attachments().at(-1)).toMatchObject({ size: 200, stored_on: '2026-11-24' })
  })

  test('few files cost a query', async () => {
    for (let no = 0; no < 10; no += 1) await send(file(`${no}`))
    expect(server.byteQuota.requests).toHaveLength(1)
  })

  test('a length that lies is a malformed envelope', async () => {
    const reply = await send(event, '{"type":"attachment","length":99}\nabc\n')
    expect(reply.status).toBe(400)
    expect(server.objects.puts).toBe(0)
  })

  test('files of an event over quota are not stored', async () => {
    project = server.project({ monthlyEvents: 0 }, { bytesPerDayMax: MiB })
    await send(event, file('abc'))
    server.frames.length = 0
    const reply = await send(event, file('def'))
    expect(reply.status).toBe(429)
    expect(server.attachments()).toEqual([])
    expect(server.outcomes().sort()).toEqual(['over_quota  1', 'over_quota  1'])
  })
})

describe('while a store is away', () => {
  test.each([
    ['the object store fails', () => (server.objects.fails = 'throws')],
    ['Postgres grants no bytes', () => (server.byteQuota.isAway = true)],
  ])('%s: the event is accepted and the file is an outcome', async (_name, fail) => {
    fail()
    const reply = await send(event, file('abc'), file('def'))
    expect(reply.status).toBe(200)
    expect(server.events()).toHaveLength(1)
    expect(server.attachments()).toEqual([])
    expect(server.outcomes()).toEqual(['rejected storage_unavailable 2'])
    expect(server.objects.puts).toBeLessThan(2)
  })

  test('a store that hangs holds a request up for seconds, and the next ones not at all', async () => {
    server.objects.fails = 'hangs'
    expect((await send(event, file('abc'))).status).toBe(200)
    expect(server.outcomes()).toEqual(['rejected storage_unavailable 1'])
    const puts = server.objects.puts
    expect((await send(file('def'))).status).toBe(200)
    expect(server.objects.puts).toBe(puts)
    expect(server.events()).toHaveLength(1)
  })
})

describe('minidumps', () => {
  const dump = makeMinidump(windowsCrash)
  const dumpPart = {
    name: 'upload_file_minidump',
    fileName: 'a.dmp',
    type: 'application/octet-stream',
    content: dump,
  }
  const postForm = (path: string, body: Buffer, headers: Record<string, string> = {}) =>
    server.post(path, new Uint8Array(body), { 'content-type': formType, ...headers })
  const minidumpPath = () => `/api/${project.projectId}/minidump/?sentry_key=${project.publicKey}`

  test('a dump with fields of every form becomes an event with its files', async () => {
    const form = makeForm([
      { name: 'sentry', content: '{"release":"shop@1"}' },
      { name: 'sentry[tags][a]', content: 'b' },
      dumpPart,
      { name: 'log', fileName: 'shop.log', type: 'text/plain', content: 'line' },
    ])
    const reply = await postForm(minidumpPath(), gzipSync(form), { 'content-encoding': 'gzip' })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toContain('text/plain')
    expect(reply.text).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const [sent] = server.events()
    expect(JSON.parse(sent ?? '')).toMatchObject({
      event_id: reply.text.replaceAll('-', ''),
      release: 'shop@1',
      tags: { a: 'b' },
      exception: { values: [{ type: 'EXCEPTION_ACCESS_VIOLATION' }] },
    })
    expect(server.attachments().map(({ type, name, size }) => [type, name, size])).toEqual([
      ['event.minidump', 'a.dmp', dump.length],
      ['event.attachment', 'shop.log', 4],
    ])
  })

  test('without attachments the event is kept and the files are counted; a retry is a duplicate', async () => {
    project = server.project({})
    const form = makeForm([dumpPart])
    const reply = await postForm(minidumpPath(), form)
    expect(server.events()).toHaveLength(1)
    expect(server.outcomes()).toEqual(['unsupported unsupported:attachment 1'])
    expect((await postForm(minidumpPath(), form)).text).toBe(reply.text)
    expect(server.events()).toHaveLength(1)
  })

  test('a dump as the whole body, and one that is compressed by itself', async () => {
    await server.post(minidumpPath(), new Uint8Array(dump), {
      'content-type': 'application/octet-stream',
    })
    await postForm(minidumpPath(), makeForm([{ ...dumpPart, content: gzipSync(dump) }]))
    expect(server.attachments().map(({ size }) => size)).toEqual([dump.length, dump.length])
  })

  test.each([
    ['no boundary', 'multipart/form-data', 'x'],
    ['no form', 'text/plain', 'x'],
    ['an end that is missing', formType, makeForm([dumpPart]).subarray(0, 200)],
    ['another boundary', 'multipart/form-data; boundary=zzz', makeForm([dumpPart])],
  ])('%s is refused and counted', async (_name, type, body) => {
    const reply = await server.post(minidumpPath(), new Uint8Array(Buffer.from(body)), {
      'content-type': type,
    })
    expect(reply.status).toBe(400)
    expect(server.events()).toEqual([])
    await expect.poll(() => server.outcomes()).toEqual(['rejected invalid_event 1'])
  })

  test('ten thousand parts are read to the limit', async () => {
    const many = Array.from({ length: 10_000 }, (_, no) => ({
      name: `f${no}`,
      fileName: `../../${no}`,
      content: 'x',
    }))
    const reply = await postForm(minidumpPath(), makeForm([dumpPart, ...many]))
    expect(reply.status).toBe(200)
    expect(server.attachments()).toHaveLength(attachmentsPerEventMax)
    expect(server.attachments().every(({ name }) => !name.includes('/'))).toBe(true)
  })

  test('an envelope with nothing but a minidump is an event', async () => {
    const header = { type: 'attachment', attachment_type: 'event.minidump', length: dump.length }
    const body = Buffer.concat([
      Buffer.from(`{"event_id":"${id}"}\n${JSON.stringify(header)}\n`),
      dump,
    ])
    const reply = await server.post(project.path, new Uint8Array(body))
    expect(reply.text).toBe(`{"id":"${id}"}`)
    expect(JSON.parse(server.events()[0] ?? '').platform).toBe('native')
    expect(server.attachments()).toMatchObject([{ type: 'event.minidump', size: dump.length }])
  })

  test('a report of the Unreal Engine, with its key in the path', async () => {
    const report = makeUnreal([
      ['UE4Minidump.dmp', dump],
      ['CrashContext.runtime-xml', '<ErrorMessage>Assertion failed</ErrorMessage>'],
      ['Shop.log', 'line'],
    ])
    const path = `/api/${project.projectId}/unreal/${project.publicKey}/`
    const reply = await server.post(path, new Uint8Array(report))
    expect(reply.status).toBe(200)
    expect(JSON.parse(server.events()[0] ?? '')).toMatchObject({
      logentry: { formatted: 'Assertion failed' },
      exception: { values: [{ type: 'EXCEPTION_ACCESS_VIOLATION' }] },
    })
    expect(server.attachments().map(({ type }) => type)).toEqual([
      'event.minidump',
      'unreal.context',
      'unreal.logs',
    ])
    expect((await server.post(path, 'no report')).status).toBe(400)
  })
})

describe('files of an event that was sent before', () => {
  const pathOf = (eventId: string) =>
    `/api/${project.projectId}/events/${eventId}/attachments/?sentry_key=${project.publicKey}`
  const form = makeForm([{ name: 'a', fileName: 'a.txt', type: 'text/plain', content: 'abc' }])
  const post = (eventId: string) =>
    server.post(pathOf(eventId), new Uint8Array(form), { 'content-type': formType })

  test('are kept', async () => {
    const eventId = 'c'.repeat(32)
    expect((await post(eventId)).status).toBe(201)
    expect(server.attachments()).toMatchObject([{ event_id: eventId, name: 'a.txt', size: 3 }])
    expect(server.events()).toEqual([])
  })

  test('need a valid id', async () => {
    expect((await post('..%2f..')).status).toBe(400)
    expect(server.outcomes()).toEqual(['rejected invalid_attachment 1'])
  })
})
