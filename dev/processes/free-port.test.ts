import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort, reservePort, tryListen } from './free-port.ts'

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
    expect(await freePort()).not.toBe(port + 1)
  } finally {
    server.close()
  }
})

test('a port is reserved for ten minutes, also from other processes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-ports-'))
  try {
    expect(reservePort(10_001, folder)).toBe(true)
    expect(reservePort(10_001, folder)).toBe(false)
    expect(reservePort(10_002, folder)).toBe(true)
    const elevenMinutesAgo = Date.now() / 1000 - 11 * 60
    utimesSync(join(folder, '10001'), elevenMinutesAgo, elevenMinutesAgo)
    expect(reservePort(10_001, folder)).toBe(true)
    expect(reservePort(10_001, folder)).toBe(false)
    expect(reservePort(10_003, join(folder, '10002'))).toBe(true)
    expect(reservePort(10_003, join(folder, 'no', 'folder'))).toBe(true)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
