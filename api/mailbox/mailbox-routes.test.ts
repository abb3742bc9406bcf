import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { variableNames } from '#platform/env.ts'
import { appWithoutStores } from '../../test/fixtures/api-fixture.ts'
import type { ApiInstance } from '../http/route.ts'

const raw = [
  'From: News <news@demo.test>',
  'To: reader@demo.test',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  'List-Unsubscribe: <https://a.test/u>,',
  ' <mailto:u@a.test>',
  'Received: one',
  'Received: two',
  'Content-Type: text/plain; charset=utf-8',
  '',
  'Hällo',
].join('\r\n')

let folder: string
let mailbox: string
let app: ApiInstance

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-mailbox-'))
  mailbox = join(folder, 'mailbox')
  await mkdir(mailbox)
  const card = (id: string, to: string[], minute: number) => ({
    id,
    from: 'news@demo.test',
    to,
    subject: 'Grüße',
    received_at: `2026-11-21T01:0${minute}:00.000Z`,
  })
  await writeFile(join(mailbox, 'a1.eml'), raw)
  await writeFile(join(mailbox, 'a1.json'), JSON.stringify(card('a1', ['Reader@demo.test'], 1)))
  await writeFile(join(mailbox, 'b2.eml'), raw)
  await writeFile(join(mailbox, 'b2.json'), JSON.stringify(card('b2', ['other@demo.test'], 2)))
  await writeFile(join(mailbox, 'half.json'), '{"id":"ha')
  await writeFile(join(mailbox, 'c3.json.new'), '{}')
  await writeFile(join(mailbox, 'notes.txt'), 'not an email')
  // A file beside the folder, which no request may read.
  await writeFile(join(folder, 'secret.eml'), raw)
  await writeFile(join(folder, 'secret.json'), JSON.stringify(card('secret', ['x@demo.test'], 3)))
  app = await appWithoutStores({ mailboxDir: mailbox })
})
afterAll(async () => {
  await app?.close()
  await rm(folder, { recursive: true })
})

const get = async (
  url: string,
  more: { headers?: Record<string, string>; remoteAddress?: string } = {},
) => {
  const response = await app.inject({ url, headers: { host: '127.0.0.1:8031' }, ...more })
  return { status: response.statusCode, body: response.json() }
}

test('emails are listed newest first, without incomplete ones', async () => {
  const { status, body } = await get('/dev/mailbox')
  expect(status).toBe(200)
  expect(body.items.map((item: { id: string }) => item.id)).toEqual(['b2', 'a1'])
})

test('emails are listed by recipient, case-insensitively', async () => {
  const { body } = await get('/dev/mailbox?to=reader@DEMO.test')
  expect(body.items).toEqual([
    {
      id: 'a1',
      from: 'news@demo.test',
      to: ['Reader@demo.test'],
      subject: 'Grüße',
      received_at: '2026-11-21T01:01:00.000Z',
    },
  ])
})

test('one email is shown decoded and raw', async () => {
  const { status, body } = await get('/dev/mailbox/a1')
  expect(status).toBe(200)
  expect(body).toMatchObject({ id: 'a1', subject: 'Grüße', html: null, raw })
  expect(body.text.trim()).toBe('Hällo')
  expect(body.headers).toMatchObject({
    from: 'News <news@demo.test>',
    'list-unsubscribe': '<https://a.test/u>, <mailto:u@a.test>',
    received: 'one\ntwo',
  })
})

describe('browsers', () => {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const open = async (url: string) => {
    const headers = { host: '127.0.0.1:8031', accept }
    const { statusCode, body, headers: sent } = await app.inject({ url, headers })
    return { status: statusCode, body, policy: String(sent['content-security-policy']) }
  }

  beforeAll(async () => {
    const hostile = [
      'From: <news@demo.test>',
      'Subject: <b>x</b>',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<html><head></head><body><script>alert(1)</script><p>Hello</p></body></html>',
    ]
    await writeFile(join(mailbox, 'h1.eml'), hostile.join('\r\n'))
    const card = { from: 'news@demo.test', to: ['<i>@demo.test'], subject: '<b>x</b>' }
    const email = { id: 'h1', ...card, received_at: '2026-11-20T01:00:00.000Z' }
    await writeFile(join(mailbox, 'h1.json'), JSON.stringify(email))
  })
  afterAll(async () => {
    await rm(join(mailbox, 'h1.json'))
    await rm(join(mailbox, 'h1.eml'))
  })

  test('get a page with the list, without markup of emails', async () => {
    const { status, body, policy } = await open('/dev/mailbox')
    expect(status).toBe(200)
    expect(body).toContain('<a href="/dev/mailbox/a1">Grüße</a>')
    expect(body).toContain('2026-11-21 01:01:00 UTC')
    expect(body).toContain('&lt;b&gt;x&lt;/b&gt;')
    expect(body).not.toContain('<i>@')
    expect(policy).toContain("default-src 'none'")
    expect((await open('/dev/mailbox?to=nobody@demo.test')).body).toContain('No email to nobody@')
    expect((await open('/dev/mailbox?to=')).body).toContain('Grüße')
  })

  test('get the parts of an email, and its HTML in a sandboxed frame', async () => {
    const text = await open('/dev/mailbox/a1')
    expect(text.body).toContain('<pre>Hällo')
    expect(text.body).not.toContain('<iframe')
    expect((await open('/dev/mailbox/a1?part=headers')).body).toContain('<dt>list-unsubscribe</dt>')
    const page = await open('/dev/mailbox/h1?part=nonsense')
    expect(page.body).toContain('src="/dev/mailbox/h1/html" sandbox="allow-same-origin')
    expect(page.body).not.toContain('<script')
    const frame = await open('/dev/mailbox/h1/html')
    expect(frame.body).toContain('<p>Hello</p>')
    expect(frame.policy).toMatch(/default-src 'none'.*sandbox/)
    expect(frame.policy).not.toContain('script')
    expect((await open('/dev/mailbox/none/html')).status).toBe(404)
  })
})

test.each([
  ...[
    'Forwarded',
    'Via',
    'X-Forwarded',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
  ],
  ...['X-Forwarded-Port', 'X-Real-IP', 'X-Client-IP', 'True-Client-IP', 'CF-Connecting-IP'],
  ...['CF-Ray', 'CDN-Loop', 'X-Amzn-Trace-Id', 'X-Amz-Cf-Id', 'X-Original-URL', 'X-ProxyUser-Ip'],
  ...['X-Original-Forwarded-For', 'X-Envoy-External-Address'],
])(
  'with %s, even an empty one, there is no mailbox, and the answer is that of an unknown path',
  async (name) => {
    const unknown = (await get('/dev/nothing')).body
    for (const value of ['127.0.0.1', '']) {
      for (const path of ['/dev/mailbox', '/dev/mailbox/a1']) {
        const headers = { host: '127.0.0.1:8031', [name]: value }
        expect(await get(path, { headers })).toEqual({ status: 404, body: unknown })
      }
    }
  },
)

test('a proxy that rewrites the host and adds no header is detected by HTTP/1.0', async () => {
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const first = async (version: string) => {
    const socket = connect(Number(url.port), url.hostname)
    socket.write(
      `GET /dev/mailbox HTTP/${version}\r\nHost: ${url.host}\r\nConnection: close\r\n\r\n`,
    )
    let text = ''
    for await (const chunk of socket) text += chunk
    return text.split(' ', 2)[1]
  }
  expect(await first('1.0')).toBe('404')
  expect(await first('1.1')).toBe('200')
})

test('a process without the capture server of `npm start` has no mailbox', async () => {
  const plain = await appWithoutStores()
  const reply = await plain.inject({ url: '/dev/mailbox', headers: { host: '127.0.0.1:8031' } })
  expect(reply.statusCode).toBe(404)
  await plain.close()
  // Neither a variable nor .env makes one: only the supervisor's argument does.
  expect(variableNames.filter((name) => name.includes('MAILBOX'))).toEqual([])
})

test.each([
  'nothing',
  '..%2Fsecret',
  '%2e%2e%2fsecret',
  '..%5Csecret',
  'a1.eml',
  'half',
  'notes.txt',
])('%s is no email', async (id) => {
  expect((await get(`/dev/mailbox/${id}`)).status).toBe(404)
})

describe('only clients on this machine see it', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['IPv4 loopback',           '127.0.0.1',        { host: '127.0.0.1:8031' },                                       200],
    ['another loopback',        '127.8.9.1',        { host: 'localhost' },                                            200],
    ['IPv6 loopback',           '::1',              { host: '[::1]:8031' },                                           200],
    ['mapped loopback',         '::ffff:127.0.0.1', { host: 'localhost:8031' },                                       200],
    ['another machine',         '10.0.0.7',         { host: '127.0.0.1:8031' },                                       404],
    ['a proxy here',            '127.0.0.1',        { host: '127.0.0.1:8031', 'x-forwarded-for': '10.0.0.7' },        404],
    ['a proxy that says so',    '127.0.0.1',        { host: '127.0.0.1:8031', forwarded: 'for=10.0.0.7' },            404],
    ['a page’s own host name',  '127.0.0.1',        { host: 'evil.test:8031' },                                       404],
    ['a name that begins well', '127.0.0.1',        { host: '127.0.0.1.evil.test' },                                  404],
  ] as const)('%s', async (_name, remoteAddress, headers, status) => {
    for (const path of ['/dev/mailbox', '/dev/mailbox/a1']) {
      expect((await get(path, { remoteAddress, headers })).status).toBe(status)
    }
  })
})
