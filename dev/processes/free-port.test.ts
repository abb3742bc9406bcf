import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort, tryListen } from './free-port.ts'

test('ports requested at the same time differ', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()))
  expect(new Set(ports).size).toBe(50)
})

test('a port in use is skipped', async () => {
  const port = await freePort()
  const server = createServer().listen({ host: '127.0.0.1', port: port + 1 })
  try {
    await new Promise((resolve) => server.once('listening', resolve))
    expect(await tryListen('127.0.0.1', port + 1)).toBe('taken')
    expect(await freePort()).toBe(port + 2)
  } finally {
    server.close()
  }
})
