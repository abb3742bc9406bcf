import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import { healthUrl, probeProcess } from './probe-process.ts'
import { isProgramWord, serviceWords } from './program-words.ts'

// biome-ignore format: the columns are the point
test.each([
  ['ingest',  {},                                                  'http://127.0.0.1:8038/health/ready'],
  ['ingest',  { INGEST_OPS_HOST: '0.0.0.0', INGEST_OPS_PORT: '9' }, 'http://127.0.0.1:9/health/ready'],
  ['ingest',  { INGEST_OPS_PORT: '0', INGEST_HOST: '::' },         'http://[::1]:8030/health/ready'],
  ['workers', { WORKERS_HOST: '10.0.0.7' },                        'http://10.0.0.7:8036/health/ready'],
  ['mailer',  { MAILER_HOST: '::1' },                              'http://[::1]:8037/health/ready'],
  ['api',     { API_OPS_HOST: '0.0.0.0' },                         'http://127.0.0.1:8039/health/ready'],
  ['api',     { API_OPS_PORT: '0', API_PORT: '81' },               'http://127.0.0.1:81/health/ready'],
] as const)('readiness of %s with %o is asked at %s', (name, env, url) => {
  expect(healthUrl(name, '/health/ready', env)).toBe(url)
})

test.each([
  [200, 0],
  [503, 1],
])('a process that answers %d makes the exit code %d', async (status, code) => {
  const server = createServer((_, response) => response.writeHead(status).end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const port = String((server.address() as AddressInfo).port)
    expect(await probeProcess(['workers'], '/health/ready', { WORKERS_PORT: port })).toBe(code)
  } finally {
    server.close()
  }
})

test.each(['', 'nope', 'toString'])('%j names no process', async (name) => {
  expect(await probeProcess([name], '/health/ready', {})).toBe(1)
})

test('every service of package.json is a program of the image', () => {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
  for (const name of [...serviceWords, 'migrate', 'admin']) {
    expect(scripts[name]).toBeDefined()
    expect(isProgramWord(name)).toBe(true)
  }
})
