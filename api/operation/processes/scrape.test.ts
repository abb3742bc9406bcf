import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { readTopOptions } from '../../cli/top/top-options.ts'
import { UsageError } from '../../cli/usage-error.ts'
import { resolveTargets } from './resolve-targets.ts'
import { requestMsMax, scrape } from './scrape.ts'
import { ProcessWatch } from './watch-processes.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
}

const look = (metricsUrl: string) => scrape({ name: 'x', metricsUrl }, systemClock.monotonicMs)

/** Answers the metrics, and readiness with a status and a body. */
const ready =
  (status: number, body: string): RequestListener =>
  (request, response) => {
    if (request.url === '/metrics') response.end('up 1\n')
    else response.writeHead(status).end(body)
  }

// biome-ignore format: the columns are the point
test.each([
  ['ready',                  200, '{"status":"ready"}',                                                     { state: 'ready' }],
  ['the reply of this version', 503, '{"dependencies":{"nats":{"ok":true},"postgres":{"ok":false,"reason":"late"},"smtp":{"ok":false}}}', { state: 'not ready', reasons: ['postgres: late', 'smtp'] }],
  ['the reply of earlier ones', 503, '{"missing":["nats"]}',                                                { state: 'not ready', reasons: ['nats'] }],
  ['control characters',     503, JSON.stringify({ missing: ['\u001b[2J'] }),                               { state: 'not ready', reasons: ['?[2J'] }],
  ['too many reasons',       503, JSON.stringify({ missing: Array.from({ length: 99 }, () => 'x') }),       { state: 'not ready', reasons: Array.from({ length: 8 }, () => 'x') }],
  ['HTML of a proxy',        503, '<html>',                                                                 { state: 'not ready', reasons: [] }],
  ['another type',           503, '{"missing":7,"dependencies":[]}',                                        { state: 'not ready', reasons: [] }],
  ['no such path',           404, '{}',                                                                     { state: 'unknown', reason: 'status 404' }],
  ['a redirect',             302, '',                                                                       { state: 'unknown' }],
] as const)('readiness: %s', async (_what, status, body, want) => {
  const result = await look(await serve(ready(status, body)))
  expect(result.readiness).toMatchObject(want)
  expect(result.metrics?.get('up')?.[0]?.value).toBe(1)
})

// biome-ignore format: the columns are the point
test.each([
  ['hangs before the head',    () => undefined,                                                             'no answer'],
  ['hangs in the body',        (_request, response) => response.write('up 1\n'),                            'no answer'],
  ['answers 500',              (_request, response) => response.writeHead(500).end(),                       'status 500'],
  ['closes the connection',    (request) => request.socket.destroy(),                                       ''],
  ['sends an endless body',    (_request, response) => void endless(response.write.bind(response)),         'larger than'],
] satisfies [string, RequestListener, string][])('a process that %s has no metrics', async (_what, answer, error) => {
  const result = await look(await serve(answer))
  expect(result.metrics).toBeUndefined()
  expect(result.error).toContain(error)
})

function endless(write: (text: string) => boolean): void {
  for (let count = 0; count < 200; count += 1) write(`up 1\n`.repeat(20_000))
}

test('nothing that listens is said in words', async () => {
  const url = await serve(() => undefined)
  const [server] = servers.splice(0)
  await new Promise((resolve) => server?.close(resolve))
  expect((await look(url)).error).toBe('nothing listens there')
})

test('one process that hangs does not delay the round beyond its limit', async () => {
  const hanging = await serve(() => undefined)
  const quick = await serve(ready(200, '{}'))
  const targets = [hanging, quick, quick].map((metricsUrl, at) => ({ name: `p${at}`, metricsUrl }))
  const watch = new ProcessWatch(targets, systemClock)
  const begun = systemClock.monotonicMs()
  const { processes } = await watch.look()
  // Generous, for slow machines: one after the other it would be twice the limit.
  expect(systemClock.monotonicMs() - begun).toBeLessThan(requestMsMax * 2)
  expect(processes.map(({ state }) => state)).toEqual(['does not answer', 'ready', 'ready'])
})

describe('host names', () => {
  const target = { name: 'workers', metricsUrl: 'http://workers:8036/metrics' }
  const v4 = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 }))
  // biome-ignore format: the columns are the point
  test.each([
    ['several addresses are several processes', v4('10.0.0.2', '10.0.0.1'),                    ['workers 10.0.0.1', 'workers 10.0.0.2']],
    ['one address keeps its name',              v4('10.0.0.1'),                                ['workers']],
    ['no address keeps the name',               [],                                            ['workers']],
    ['both families are one process',           [...v4('10.0.0.1'), { address: '::2', family: 6 }], ['workers']],
    ['only IPv6',                               ['fd00::1', 'fd00::2'].map((address) => ({ address, family: 6 })), ['workers fd00::1', 'workers fd00::2']],
  ] as const)('%s', async (_what, found, names) => {
    const resolved = await resolveTargets([target], { lookUp: async () => found })
    expect(resolved.map(({ name }) => name)).toEqual(names)
  })

  test('a lookup that fails leaves the name', async () => {
    expect(
      await resolveTargets([target], { lookUp: () => Promise.reject(new Error('x')) }),
    ).toEqual([target])
  })

  test('an address is not looked up', async () => {
    const address = { name: 'x', metricsUrl: 'http://127.0.0.1:1/metrics' }
    expect(await resolveTargets([address], { lookUp: () => expect.fail() })).toEqual([address])
  })
})

describe('options', () => {
  const read = (args: string[], env: NodeJS.ProcessEnv = {}) =>
    readTopOptions(args, { SLUICE_DATA_DIR: '/nowhere', ...env })

  test('URLs by flag come before those of the variable', async () => {
    const env = { SLUICE_METRICS_URLS: 'http://a:1/metrics, http://b:2,' }
    expect(await read([], env)).toEqual({
      mode: 'live',
      targets: [
        { name: 'a:1', metricsUrl: 'http://a:1/metrics' },
        { name: 'b:2', metricsUrl: 'http://b:2/metrics' },
      ],
    })
    expect(await read(['--url', 'http://c:3/metrics', '--once'], env)).toMatchObject({
      mode: 'once',
      targets: [{ name: 'c:3' }],
    })
    expect(await read(['--help'])).toBe('help')
  })

  test.each([
    'http://ops:hunter2@c:3/metrics',
    'ftp://ops:hunter2@c:3/metrics',
    'http://ops:hunter2@',
  ])('the password of %s is refused, and not shown', async (url) => {
    for (const refusal of [read(['--url', url]), read([], { SLUICE_METRICS_URLS: url })]) {
      const refused = await refusal.catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(UsageError)
      expect(String(refused)).not.toContain('hunter2')
    }
  })

  test('demo.json names the processes of npm start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-top-'))
    try {
      const metricsUrls = {
        ingest: 'http://127.0.0.1:1/metrics',
        api: 'http://127.0.0.1:2/metrics',
      }
      await writeFile(join(folder, 'demo.json'), JSON.stringify({ metricsUrls, postgresUrl: 7 }))
      const options = await read(['--json'], { SLUICE_DATA_DIR: folder })
      expect(options).toMatchObject({
        mode: 'json',
        targets: [{ name: 'ingest' }, { name: 'api' }],
      })
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['nothing runs',         [],                          {},                                       'No running Sluice was found'],
    ['a path',               ['--url', '/metrics'],       {},                                       'must be a metrics URL'],
    ['another protocol',     ['--url', 'file:///etc/x'],  {},                                       'must be a metrics URL'],
    ['an unknown flag',      ['--colour'],                {},                                       'Unknown option'],
    ['a word',               ['now'],                     {},                                       'Unexpected argument'],
    ['too many',             [],                          { SLUICE_METRICS_URLS: 'http://a,'.repeat(65) }, 'at most 64'],
  ] as const)('%s is one sentence', async (_what, args, env, words) => {
    await expect(read([...args], env)).rejects.toThrow(words)
  })
})
