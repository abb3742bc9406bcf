import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { checkPorts, metricsUrls, settle } from './stack-settings.ts'

test('the URLs of DSNs and API follow a changed port', async () => {
  const settings = await settle({ INGEST_PORT: '9030', API_PORT: '9031' }, 'as given')
  expect(settings.ingestUrl).toBe('http://127.0.0.1:9030')
  expect(settings.apiUrl).toBe('http://127.0.0.1:9031')
})

test('a given URL takes precedence over the port', async () => {
  const env = { INGEST_PORT: '9030', INGEST_URL: 'https://errors.example.test' }
  expect((await settle(env, 'as given')).ingestUrl).toBe('https://errors.example.test')
})

test('a service that listens on every address is reached over loopback', async () => {
  const env = { INGEST_HOST: '0.0.0.0', INGEST_PORT: '9030' }
  expect((await settle(env, 'as given')).ingestUrl).toBe('http://127.0.0.1:9030')
})

test('free ports differ from each other, and a given one is kept', async () => {
  const { ports } = await settle({ API_PORT: '9031' }, 'free')
  expect(ports.api).toBe(9031)
  expect(new Set(Object.values(ports)).size).toBe(Object.values(ports).length)
})

test('a taken operations port is replaced by a free one, unless the variable names it', async () => {
  const server = createServer().listen(8_039, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve).once('error', resolve))
  try {
    const settings = await settle({}, 'as given')
    expect(settings.ports.apiOps).not.toBe(8_039)
    const urls = metricsUrls(settings)
    expect(urls.api).toBe(`http://127.0.0.1:${settings.ports.apiOps}/metrics`)
    expect(urls.workers).toBe('http://127.0.0.1:8036/metrics')
    expect(new Set(Object.values(urls)).size).toBe(4)

    const asked = await settle({ API_OPS_PORT: '8039' }, 'as given')
    await expect(checkPorts(asked, ['apiOps'], 0)).rejects.toThrow(/8039 .* API_OPS_PORT /)
  } finally {
    server.close()
  }
})

test('engines whose URL is given are not embedded', async () => {
  const settings = await settle({ NATS_URL: 'nats://bus.example.test:4222' }, 'free')
  expect(settings.given).toEqual({ nats: 'nats://bus.example.test:4222' })
})

test('an error names the invalid variable', async () => {
  await expect(settle({ INGEST_PORT: 'x' }, 'as given')).rejects.toThrow(/INGEST_PORT/)
})

test('the error for a taken port names the port and its variable', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  try {
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const settings = await settle({ EMBEDDED_NATS_PORT: String(port) }, 'free')
    await expect(checkPorts(settings, ['nats'], 0)).rejects.toThrow(
      new RegExp(`^Port ${port} .* EMBEDDED_NATS_PORT `),
    )
    await expect(checkPorts(settings, ['api'], 0)).resolves.toBeUndefined()
  } finally {
    server.close()
  }
})
