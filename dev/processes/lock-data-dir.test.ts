import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDataDir } from './lock-data-dir.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-lock-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a second lock reports the holder until the first is released', async () => {
  const first = await lockDataDir(folder)
  expect(first).toMatchObject({ kind: 'locked', stale: false })
  expect(await lockDataDir(folder)).toEqual({ kind: 'held', pid: process.pid })
  if (first.kind === 'locked') await first.release()
  expect(await lockDataDir(folder)).toMatchObject({ kind: 'locked', stale: false })
})

test('exactly one of many concurrent attempts gets the lock, and no other files remain', async () => {
  const locks = await Promise.all(Array.from({ length: 20 }, () => lockDataDir(folder)))
  expect(locks.filter((lock) => lock.kind === 'locked')).toHaveLength(1)
  expect(await readdir(folder)).toEqual(['supervisor.lock'])
})

test.each([
  ['a process that has ended', JSON.stringify({ pid: 2 ** 22 + 1, startMark: '1' })],
  ['another process that got the same pid', JSON.stringify({ pid: process.pid, startMark: '1' })],
  ['a truncated file', '{"pid":'],
  ['nobody', ''],
])('a lock left by %s is taken over', async (_name, text) => {
  await writeFile(join(folder, 'supervisor.lock'), text)
  expect(await lockDataDir(folder)).toMatchObject({ kind: 'locked', stale: true })
  const held = JSON.parse(await readFile(join(folder, 'supervisor.lock'), 'utf8'))
  expect(held).toMatchObject({ pid: process.pid })
})
