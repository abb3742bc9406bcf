import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Counter, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createLogger } from '../logger.ts'
import { holdOpsPort, type OpsServerOptions } from './ops-server.ts'

/** Returns a port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const nats = { ok: false, since: '2026-11-23T05:00:00.000Z', reason: 'NATS refuses connections.' }
const report = { status: 'not ready', dependencies: { nats } } as const
const log = createLogger('test', 'silent')

async function optionsOf(name: string, port: number): Promise<OpsServerOptions> {
  const registry = new Registry()
  new Counter({ name, help: 'a counter', registers: [registry] })
  return { host: '127.0.0.1', port, registry, readiness: { report } }
}

test('the operations port serves health, readiness and metrics, and nothing else', async () => {
  const port = await freePort()
  const ops = await holdOpsPort(await optionsOf('first', port), log)
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    return [response.status, await response.text()]
  }
  expect(await get('/health')).toEqual([200, '{"status":"ok"}'])
  expect(await get('/health/ready')).toEqual([503, JSON.stringify(report)])
  expect(await get('/metrics?x=1')).toEqual([200, expect.stringContaining('# TYPE first counter')])
  expect((await get('/'))[0]).toBe(404)
  ops.close()
})

test('a server whose port is taken starts without it, and gets it when the other process ends', async () => {
  const port = await freePort()
  const first = await holdOpsPort(await optionsOf('first', port), log)
  const second = await holdOpsPort(await optionsOf('second', port), log)
  const text = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(await text()).toContain('first')
  first.close()
  await expect.poll(() => text().catch(() => '')).toContain('second')
  second.close()
  await expect(text()).rejects.toThrow()
})

test('a server that is closed while it waits never listens', async () => {
  const port = await freePort()
  const first = await holdOpsPort(await optionsOf('first', port), log)
  const second = await holdOpsPort(await optionsOf('second', port), log)
  second.close()
  first.close()
  await sleep(700)
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow()
})

test('port 0 disables the server, and a foreign host is an error', async () => {
  const none = await holdOpsPort(await optionsOf('none', 0), log)
  none.close()
  const elsewhere = { ...(await optionsOf('x', 8_038)), host: '192.0.2.1' }
  await expect(holdOpsPort(elsewhere, log)).rejects.toThrow(/EADDRNOTAVAIL/)
})
