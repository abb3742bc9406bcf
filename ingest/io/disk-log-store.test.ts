import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DiskLogStore } from './disk-log-store.ts'

const bootA = 'aa'.repeat(16)
const bootB = 'bb'.repeat(16)
const bootC = 'cc'.repeat(16)

let base: string
let clock: { ms: number; nowMs(): number; monotonicMs(): number }
let store: DiskLogStore
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'sluice-log-'))
  clock = { ms: Date.now(), nowMs: () => clock.ms, monotonicMs: () => clock.ms }
  store = new DiskLogStore(base, clock)
})
afterEach(() => rm(base, { recursive: true, force: true }))

/** The folder says that another process made it. */
async function giveTo(bootId: string, owner: object): Promise<void> {
  const path = join(base, bootId, 'owner.json')
  const own = JSON.parse(await readFile(path, 'utf8')) as object
  await writeFile(path, JSON.stringify({ ...own, ...owner }))
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await new Promise((resolve) => child.once('exit', resolve))
  return child.pid ?? 0
}

test('what was appended is read back, in parts or whole', async () => {
  const folder = await store.create(bootA)
  await folder.append(1, [Buffer.from('one'), Buffer.alloc(0), Buffer.from('two')])
  await folder.append(1, [Buffer.from('three')])
  await folder.append(2, [Buffer.alloc(3 * 1024 * 1024, 'x')])
  expect(String(await folder.read(1))).toBe('onetwothree')
  expect(await folder.segments()).toEqual([
    { no: 1, bytes: 11 },
    { no: 2, bytes: 3 * 1024 * 1024 },
  ])
  await folder.removeSegment(1)
  await folder.removeSegment(1)
  expect(await folder.segments()).toHaveLength(1)
  await folder.close()
})

test('the log of a living process is left alone', async () => {
  await store.create(bootA)
  expect(await store.adopt(bootB)).toBeUndefined()
})

test('the log of a dead process is taken over once, with what stands in it', async () => {
  const folder = await store.create(bootA)
  await folder.append(1, [Buffer.from('left')])
  await folder.close()
  await giveTo(bootA, { pid: await deadPid() })
  await Promise.all([store.create(bootB), store.create(bootC)])
  const adopted = await Promise.all([store.adopt(bootB), store.adopt(bootC)])
  const [taken, ...others] = adopted.filter((one) => one !== undefined)
  expect(others).toEqual([])
  expect(taken!.bootId).toBe(bootA)
  expect(String(await taken!.read(1))).toBe('left')
  await taken!.remove()
  expect((await readdir(base)).sort()).toEqual([bootB, bootC])
})

test('another process with the same number is not the owner', async () => {
  await store.create(bootA)
  await giveTo(bootA, { startMark: 'another start' })
  expect((await store.adopt(bootB))?.bootId).toBe(bootA)
})

test('what a dead process had taken over is taken over from it', async () => {
  await store.create(bootA)
  await giveTo(bootA, { pid: await deadPid() })
  await store.create(bootB)
  expect((await store.adopt(bootB))?.bootId).toBe(bootA)
  await store.create(bootC)
  expect(await store.adopt(bootC)).toBeUndefined()
  await giveTo(bootB, { pid: await deadPid() })
  const taken = [await store.adopt(bootC), await store.adopt(bootC)].map((one) => one?.bootId)
  expect(taken.sort()).toEqual([bootA, bootB])
  expect(await store.adopt(bootC)).toBeUndefined()
})

test('a process on another host is dead after a minute without a beat', async () => {
  const folder = await store.create(bootA)
  await giveTo(bootA, { host: `not-${hostname()}` })
  expect(await store.adopt(bootB)).toBeUndefined()
  clock.ms += 59_000
  expect(await store.adopt(bootB)).toBeUndefined()
  clock.ms += 2_000
  expect((await store.adopt(bootB))?.bootId).toBe(bootA)
  await folder.close()
})

test('files of nobody are passed over', async () => {
  await writeFile(join(base, 'notes.txt'), '')
  await store.create(bootA)
  expect(await store.adopt(bootB)).toBeUndefined()
})

test('a folder that cannot be made is an error', async () => {
  await writeFile(join(base, 'file'), '')
  await expect(new DiskLogStore(join(base, 'file'), clock).create(bootA)).rejects.toThrow(/ENOTDIR/)
})
