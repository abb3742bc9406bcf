/** Replies of the server other than those of the intake. */
import { describe, expect, test } from 'vitest'
import { envelopePath, oneEvent, serveTests } from '../../test/fixtures/ingest/http-fixture.ts'
import { createHttpServer } from '../io/http-server.ts'
import { loadUws } from '../io/load-uws.ts'
import { IngestMetrics } from '../metrics.ts'

const server = serveTests()

describe('everything else', () => {
  const url = (path: string) => `http://127.0.0.1:${server.port}${path}`

  test('preflight requests are answered on every path', async () => {
    for (const path of ['/api/42/envelope/', '/api/42/store', '/elsewhere']) {
      const reply = await fetch(url(path), { method: 'OPTIONS' })
      expect(reply.status).toBe(200)
      expect(reply.headers.get('access-control-allow-headers')).toContain('x-sentry-auth')
      expect(reply.headers.get('access-control-expose-headers')).toContain('retry-after')
      expect(reply.headers.get('access-control-max-age')).toBe('3600')
    }
  })

  test('another method on an intake path is answered 405 with the allowed one', async () => {
    const reply = await fetch(url('/api/42/envelope/'))
    expect(reply.status).toBe(405)
    expect(reply.headers.get('allow')).toBe('POST, OPTIONS')
    expect(await reply.json()).toMatchObject({ detail: 'only POST is allowed here' })
  })

  test('health and readiness', async () => {
    expect(await (await fetch(url('/health'))).json()).toEqual({ status: 'ok' })
    expect((await fetch(url('/health/ready'))).status).toBe(200)
    const log = { ok: false, since: '2026-11-23T05:00:00.000Z', reason: 'The log is full.' }
    server.readiness.report = { status: 'not ready', dependencies: { log } }
    const notReady = await fetch(url('/health/ready'))
    expect(notReady.status).toBe(503)
    expect(await notReady.json()).toEqual(server.readiness.report)
  })

  test('health checks are neither counted as replies nor limited', async () => {
    const counted = async () =>
      (await server.metrics.registry.metrics())
        .split('\n')
        .filter((line) => line.startsWith('ingest_replies_total'))
    const before = await counted()
    const relay = '/api/relay/healthcheck'
    const paths = ['/health', '/health/ready', `${relay}/live/`, `${relay}/ready`]
    const statuses = new Set<number>()
    for (let round = 0; round < 200; round += 1) {
      const replies = await Promise.all(paths.map((path) => fetch(url(path))))
      for (const reply of replies) {
        await reply.body?.cancel()
        statuses.add(reply.status)
      }
    }
    expect([...statuses]).toEqual([200])
    expect(await counted()).toEqual(before)
  })

  test('metrics are not served on this port', async () => {
    const reply = await fetch(url('/metrics'))
    expect(reply.status).toBe(404)
    expect(await reply.text()).not.toContain('ingest_replies_total')
    expect(await server.metrics.registry.metrics()).toMatch(
      /^ingest_replies_total\{status="404"\} \d+$/m,
    )
  })

  test('while draining, each reply closes its connection', async () => {
    server.ctx.load.isDraining = true
    const reply = await server.raw(
      (socket) => {
        const head = `POST ${envelopePath} HTTP/1.1\r\nHost: x\r\n`
        socket.write(`${head}Content-Length: ${oneEvent.length}\r\n\r\n${oneEvent}`)
      },
      () => false,
    )
    server.ctx.load.isDraining = false
    expect(reply).toMatch(/^HTTP\/1.1 200 OK[\s\S]*Connection: close/i)
  })

  test('a second server on the port is refused', async () => {
    const second = createHttpServer({
      uws: loadUws(),
      ctx: server.ctx,
      metrics: new IngestMetrics(),
      trustsProxies: false,
      readiness: server.readiness,
    })
    const at = { host: '127.0.0.1', port: server.port, access: 'exclusive' } as const
    await expect(second.listen(at)).rejects.toThrow(/port is taken/)
    second.close()
  })
})
