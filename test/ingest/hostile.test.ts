/**
 * Hostile requests against the running product. After every test the same processes must be alive,
 * the memory of ingest within its bounds, and the next valid event stored.
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import zlib from 'node:zlib'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { MiB } from '#schemas/limits.ts'
import { Bombs } from '../fixtures/bombs.ts'
import {
  openSocket,
  type RawRequest,
  requestBytes,
  exchange as talk,
} from '../fixtures/processes/raw-http.ts'
import { productOfThisFile } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import { SeededBytes } from '../fixtures/seeded-bytes.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = productOfThisFile()
/**
 * Two large bodies of up to 50 MiB each may be accepted at a time, beside those being received, and
 * the garbage collector runs late.
 */
const residentGrowthBytesMax = 250 * MiB
/**
 * A compression bomb is detected before it takes memory; most of the growth in the first round is
 * the thread that decompresses zstd.
 */
const residentGrowthOfBombsMax = 96 * MiB
/** Further rounds add almost nothing. */
const residentGrowthPerRoundsMax = 32 * MiB
const good = '{}\n{"type":"event"}\n{"message":"good"}'

let victim: TestProject
let bystander: TestProject
let bystanderEvents = 0
let pidsAtStart: readonly (number | undefined)[]
let residentAtStart: number

beforeAll(async () => {
  victim = await product().projectAtOnce('victim')
  bystander = await product().projectAtOnce('bystander')
  await nextValidEventIsStored()
  pidsAtStart = pids()
  residentAtStart = await residentBytes()
})

afterEach(async () => {
  await nextValidEventIsStored()
  expect(pids()).toEqual(pidsAtStart)
  expect(await product().deadLetterCount()).toBe(0)
  expect(await residentBytes()).toBeLessThan(residentAtStart + residentGrowthBytesMax)
})

function pids(): (number | undefined)[] {
  const { ingest, workers, api } = product().stack.services
  return [ingest.pid, workers.pid, api.pid]
}

async function residentBytes(): Promise<number> {
  return metric('process_resident_memory_bytes')
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(product().stack.demo.metricsUrls.ingest)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

async function nextValidEventIsStored(): Promise<void> {
  expect(await bystander.send({ body: good })).toMatchObject({ status: 200 })
  bystanderEvents += 1
  await bystander.hasEvents(bystanderEvents)
}

/**
 * The status of each request, in order; undefined if the server closed the connection without a
 * response.
 */
async function statuses(requests: readonly Partial<RawRequest>[]): Promise<(number | undefined)[]> {
  const answers: (number | undefined)[] = []
  const turns = requests.entries()
  const inTurn = async () => {
    for (const [index, request] of turns) {
      const bytes = requestBytes({ path: victim.path(), ...request })
      answers[index] = (await talk(product().stack.urls.ingest, [bytes]))[0]?.status
    }
  }
  await Promise.all(Array.from({ length: 8 }, inTurn))
  return answers
}

test('a truncated envelope is rejected or its complete items are accepted', async () => {
  const payload = '{"message":"cut"}'
  const header = `{"type":"event","length":${payload.length}}`
  const whole = `{"sent_at":"2026-01-01T00:00:00Z"}\n${header}\n${payload}\n${header}\n${payload}`
  const cuts = Array.from({ length: whole.length }, (_, at) => ({ body: whole.slice(0, at) }))
  const answers = await statuses(cuts)
  expect(answers.filter((status) => status !== 200 && status !== 400)).toEqual([])
  expect(answers[whole.length - 1]).toBe(400)
  expect(answers[0]).toBe(400)
})

test('a compressed body cut anywhere is refused', async () => {
  const body = zlib.gzipSync(good)
  const cuts = Array.from({ length: body.length - 1 }, (_, at) => ({
    body: body.subarray(0, at),
    headers: { 'Content-Encoding': 'gzip' },
  }))
  expect([...new Set(await statuses(cuts))]).toEqual([400])
})

test('10,000 levels of nesting are rejected as too deep in every position', async () => {
  const project = await product().projectAtOnce('deep')
  const deep = (open: string, close: string, levels = 10_000) =>
    `${open.repeat(levels)}1${close.repeat(levels)}`
  const item = (payload: string) => ({ body: `{}\n{"type":"event"}\n${payload}` })
  const store = { path: project.path('store') }
  const rejected = [
    item(`{"extra":${deep('[', ']')}}`),
    item(deep('{"a":', '}')),
    item('['.repeat(MiB)),
    item(`{"exception":{"values":[{"stacktrace":${deep('{"frames":[', ']}', 5_000)}}]}}`),
    { ...store, body: `{"extra":${deep('[', ']')}}` },
    { ...store, body: zlib.deflateSync(deep('{"a":', '}')).toString('base64') },
  ]
  for (const request of rejected) {
    expect(await project.send(request)).toMatchObject({ status: 200 })
  }
  await project.hasAccounting({ 'rejected too_deep error': rejected.length })
  expect(await project.countedEvents()).toBe(0)
})

test('nesting that is never closed is rejected as malformed', async () => {
  const endless = '['.repeat(7_000)
  const answers = await statuses([
    { body: `{"sdk":${endless}\n{"type":"event"}\n{}` },
    { body: `{}\n{"type":"event","x":${endless}\n{}` },
    { body: endless },
    { path: victim.path('store'), body: '['.repeat(MiB) },
    { path: victim.path('store'), body: '{"a":'.repeat(200_000) },
  ])
  expect(answers).toEqual([400, 400, 400, 400, 400])
})

test('compression bombs are refused without being decompressed, and do not accumulate memory', async () => {
  const bombs = new Bombs(60 * MiB)
  const round = bombs.all.map(([encoding, body]) => ({
    body,
    headers: { 'Content-Encoding': encoding },
  }))
  const residentBefore = await residentBytes()
  const residentAfter: number[] = []
  for (let rounds = 0; rounds < 5; rounds += 1) {
    expect([...new Set(await statuses([...round, ...round]))]).toEqual([413])
    residentAfter.push(await residentBytes())
  }
  const [first = 0, ...later] = residentAfter
  expect(first).toBeLessThan(residentBefore + residentGrowthOfBombsMax)
  expect(Math.max(...later)).toBeLessThan(first + residentGrowthPerRoundsMax)
  const legacy = { path: victim.path('store'), body: bombs.zlib.toString('base64') }
  expect([...new Set(await statuses([legacy, legacy]))]).toEqual([413])
})

test('bodies beyond the limit are refused, with and without Content-Length', async () => {
  const body = Buffer.alloc(21 * MiB, 'x')
  expect(await statuses([{ body }, { body, chunkBytes: 64 * 1024 }])).toEqual([413, 413])
  // So large that ingest does not read it to its end.
  const endless = Buffer.alloc(45 * MiB, 'x')
  for (const status of await statuses([
    { body: endless, chunkBytes: 64 * 1024 },
    { body: good, headers: { 'Content-Length': String(10 * 1024 * MiB) } },
  ])) {
    expect([413, undefined]).toContain(status)
  }
})

const seed = randomInt(2 ** 32 - 1)

test(`random bytes get a documented status (seed ${seed})`, async () => {
  const random = new SeededBytes(seed)
  const encodings = ['', 'gzip', 'deflate', 'br', 'zstd', 'identity']
  const noise = Array.from({ length: 200 }, () => ({
    path: random.below(2) === 0 ? victim.path() : victim.path('store'),
    body: random.bytes(random.below(2000)),
    headers: { 'Content-Encoding': encodings[random.below(encodings.length)]! },
  }))
  const envelope = Buffer.from(`${good}\n{"type":"session","length":2}\n{}\n`)
  const flipped = Array.from({ length: 200 }, () => ({ body: random.flipped(envelope, 3) }))
  const answers = await statuses([...noise, ...flipped])
  const wrong = answers.flatMap((status, at) =>
    status !== undefined && [200, 400, 401, 403, 413].includes(status) ? [] : [[at, status]],
  )
  expect(wrong).toEqual([])
})

test(`random bytes instead of HTTP do no harm (seed ${seed})`, async () => {
  const random = new SeededBytes(seed)
  const request = requestBytes({ path: victim.path(), body: good })
  const sockets = Array.from({ length: 100 }, (_, at) => {
    const socket = openSocket(product().stack.urls.ingest)
    socket.end(at % 2 === 0 ? random.bytes(500) : random.flipped(request, 5))
    socket.resume()
    return socket
  })
  await Promise.all(sockets.map((socket) => socket.destroyed || endOf(socket)))
})

test('oversized headers are refused', async () => {
  const long = 'x'.repeat(100_000)
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`X-Header-${at}`, 'y']))
  const answers = await statuses([
    { body: good, headers: { 'X-Long': long } },
    { body: good, headers: many },
    { body: good, path: `${victim.path()}&x=${long}` },
    { body: good, path: `/${'a/'.repeat(30_000)}` },
    { body: good, headers: { 'X-Sentry-Auth': `Sentry ${long}` } },
  ])
  for (const status of answers) expect([undefined, 400, 404, 413, 414, 431]).toContain(status)
})

// biome-ignore format: the columns are the point
test.each([
  ['a negative length',            'Content-Length: -1\r\n\r\n{}'],
  ['a length of words',            'Content-Length: many\r\n\r\n{}'],
  ['two lengths',                  'Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}'],
  ['a length and chunks',          'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
  ['a chunk size of words',        'Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'],
  ['a chunk size without an end',  `Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(40)}\r\n{}`],
  ['an unknown transfer encoding', 'Transfer-Encoding: rot13\r\n\r\n{}'],
  ['a header without a colon',     'Nonsense\r\n\r\n{}'],
])('invalid HTTP gets a response or a closed connection: %s', async (_name, rest) => {
  const socket = openSocket(product().stack.urls.ingest)
  socket.end(`POST ${victim.path()} HTTP/1.1\r\nHost: x\r\n${rest}`)
  socket.resume()
  await endOf(socket)
})

test('memory is freed when clients disconnect in the middle of a body', async () => {
  const request = requestBytes({ path: victim.path(), body: `${good}${' '.repeat(300_000)}` })
  const before = await victim.countedEvents()
  const sockets = Array.from({ length: 100 }, () => openSocket(product().stack.urls.ingest))
  await Promise.all(
    sockets.map((socket, at) => {
      return new Promise((sent) => socket.write(request.subarray(0, (at + 1) * 2_000), sent))
    }),
  )
  for (const [at, socket] of sockets.entries())
    at % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()
  await waitUntil('ingest to free the bodies', async () => {
    const pending = await metric('ingest_requests_pending')
    return pending === 0 && (await metric('ingest_body_bytes_buffered')) === 0
  })
  expect(await victim.countedEvents()).toBe(before)
})

test('a slow body is accepted and delays no other request', async () => {
  const project = await product().projectAtOnce('slow')
  const request = requestBytes({ path: project.path(), body: good, chunkBytes: 1 })
  const trickle = async function* () {
    for (let at = 0; at < request.length; at += 7) {
      if (at % 70 === 0) await nextValidEventIsStoredBy(project)
      yield request.subarray(at, at + 7)
    }
  }
  let others = 0
  const nextValidEventIsStoredBy = async (other: TestProject) => {
    expect(await other.send({ body: good })).toMatchObject({ status: 200 })
    others += 1
  }
  const [answer] = await talk(product().stack.urls.ingest, trickle())
  expect(answer).toMatchObject({ status: 200 })
  await project.hasEvents(others + 1)
})

test('a hundred valid and invalid requests on one connection are answered in order', async () => {
  const project = await product().projectAtOnce('kept alive')
  const socket = openSocket(product().stack.urls.ingest)
  const ids = Array.from({ length: 100 }, (_, at) => `ab${String(at).padStart(30, '0')}`)
  const answers: string[] = []
  for (const [at, id] of ids.entries()) {
    const isBad = at % 5 === 4
    const body = isBad ? 'not an envelope' : `{"event_id":"${id}"}\n{"type":"event"}\n{}`
    socket.write(requestBytes({ path: project.path(), body }))
    const [data] = await once(socket, 'data', { signal: AbortSignal.timeout(10_000) })
    answers.push(String(data))
  }
  socket.destroy()
  for (const [at, answer] of answers.entries()) {
    if (at % 5 === 4) expect(answer).toMatch(/^HTTP\/1.1 400 /)
    else expect(answer).toContain(`{"id":"${ids[at]}"}`)
  }
  await project.hasEvents(80)
})

test('a client that sends without reading responses is disconnected, and its first event is stored once', async () => {
  const project = await product().projectAtOnce('pipeline')
  const body = `{"event_id":"${'cd'.repeat(16)}"}\n{"type":"event"}\n{}`
  const request = requestBytes({ path: project.path(), body })
  const pipelined = Buffer.concat(Array.from({ length: 50 }, () => request))
  await talk(product().stack.urls.ingest, [pipelined], 50)
  await nextValidEventIsStored()
  expect(await project.countedEvents()).toBeLessThanOrEqual(1)
})

async function endOf(socket: ReturnType<typeof openSocket>): Promise<void> {
  if (socket.closed) return
  await once(socket, 'close', { signal: AbortSignal.timeout(30_000) })
}
