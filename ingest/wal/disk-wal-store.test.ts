import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ForeignInstallationError } from '#platform/installation/installation.ts'
import { claimFile } from './claim-wal-base.ts'
import { type DiskWalOptions, DiskWalStore, type LeftWal } from './disk-wal-store.ts'
import { encodeSegmentHeader, segmentHeaderBytes } from './segment-header.ts'

const instanceA = 'aa'.repeat(16)
const instanceB = 'bb'.repeat(16)
const instanceC = 'cc'.repeat(16)

let base: string
let clock: { ms: number; nowMs(): number; monotonicMs(): number }
let store: DiskWalStore
let left: LeftWal[]
const installationId = '11111111-1111-4111-8111-111111111111'
const otherId = '22222222-2222-4222-8222-222222222222'

function storeOf(options: Partial<DiskWalOptions> = {}): DiskWalStore {
  return new DiskWalStore({
    base,
    clock,
    installationId,
    isOwnInstance: async () => false,
    isOfFormerLayout: async () => false,
    onLeftAlone: (log) => left.push(log),
    ...options,
  })
}

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'sluice-log-'))
  clock = { ms: Date.now(), nowMs: () => clock.ms, monotonicMs: () => clock.ms }
  left = []
  store = storeOf()
})
afterEach(() => rm(base, { recursive: true, force: true }))

/** Makes another process the owner of the folder. */
async function giveTo(instanceId: string, owner: object): Promise<void> {
  const path = join(base, instanceId, 'owner.json')
  const own = JSON.parse(await readFile(path, 'utf8')) as object
  await writeFile(path, JSON.stringify({ ...own, ...owner }))
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await new Promise((resolve) => child.once('exit', resolve))
  return child.pid ?? 0
}

test('appended frames are read back', async () => {
  const folder = await store.create(instanceA)
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

test('the log of a live process is not adopted', async () => {
  await store.create(instanceA)
  expect(await store.adopt(instanceB)).toBeUndefined()
})

test('the log of a dead process is adopted once, with its frames', async () => {
  const folder = await store.create(instanceA)
  await folder.append(1, [Buffer.from('left')])
  await folder.close()
  await giveTo(instanceA, { pid: await deadPid() })
  await Promise.all([store.create(instanceB), store.create(instanceC)])
  const adopted = await Promise.all([store.adopt(instanceB), store.adopt(instanceC)])
  const [taken, ...others] = adopted.filter((one) => one !== undefined)
  expect(others).toEqual([])
  expect(taken!.instanceId).toBe(instanceA)
  expect(String(await taken!.read(1))).toBe('left')
  await taken!.remove()
  expect((await readdir(base)).sort()).toEqual([instanceB, instanceC, claimFile])
})

test('another process with the same pid is not the owner', async () => {
  await store.create(instanceA)
  await giveTo(instanceA, { startMark: 'another start' })
  expect((await store.adopt(instanceB))?.instanceId).toBe(instanceA)
})

test('logs that a dead process had adopted are adopted from it', async () => {
  await store.create(instanceA)
  await giveTo(instanceA, { pid: await deadPid() })
  await store.create(instanceB)
  expect((await store.adopt(instanceB))?.instanceId).toBe(instanceA)
  await store.create(instanceC)
  expect(await store.adopt(instanceC)).toBeUndefined()
  await giveTo(instanceB, { pid: await deadPid() })
  const taken = [await store.adopt(instanceC), await store.adopt(instanceC)].map(
    (one) => one?.instanceId,
  )
  expect(taken.sort()).toEqual([instanceA, instanceB])
  expect(await store.adopt(instanceC)).toBeUndefined()
})

test('a process on another host counts as dead after a minute without a heartbeat', async () => {
  const folder = await store.create(instanceA)
  await giveTo(instanceA, { host: `not-${hostname()}` })
  expect(await store.adopt(instanceB)).toBeUndefined()
  clock.ms += 59_000
  expect(await store.adopt(instanceB)).toBeUndefined()
  clock.ms += 2_000
  expect((await store.adopt(instanceB))?.instanceId).toBe(instanceA)
  await folder.close()
})

test('files that belong to no log are ignored', async () => {
  await writeFile(join(base, 'notes.txt'), '')
  await store.create(instanceA)
  expect(await store.adopt(instanceB)).toBeUndefined()
})

test('a folder that cannot be created is an error', async () => {
  await writeFile(join(base, 'file'), '')
  await expect(storeOf({ base: join(base, 'file') }).create(instanceA)).rejects.toThrow(/ENOTDIR/)
})

describe('A log of another installation', () => {
  test('is refused with its whole folder, and the error names both installations', async () => {
    await store.create(instanceA)
    const other = storeOf({ installationId: otherId })
    await expect(other.create(instanceB)).rejects.toThrow(ForeignInstallationError)
    await expect(other.create(instanceB)).rejects.toThrow(installationId)
    await expect(other.create(instanceB)).rejects.toThrow(otherId)
    expect((await readdir(base)).sort()).toEqual([instanceA, claimFile])
  })

  test('is not mixed in: one of two installations that open an empty folder at once gets it', async () => {
    const other = storeOf({ installationId: otherId })
    const ends = await Promise.allSettled([store.create(instanceA), other.create(instanceB)])
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('is not used when the claim cannot be read', async () => {
    await writeFile(join(base, claimFile), '')
    await expect(store.create(instanceA)).rejects.toThrow(
      'does not contain the id of the installation',
    )
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['by its owner file                  ', { owner: otherId, segments: [undefined] }, otherId],
    ['by a segment                       ', { owner: undefined, segments: [otherId] }, otherId],
    ['by one of many segments            ', { owner: installationId, segments: [installationId, otherId, installationId] }, otherId],
    ['by nothing, and it is unknown      ', { owner: undefined, segments: [undefined] }, undefined],
  ] as const)('is not adopted when it is recognised %s', async (_name, log, owner) => {
    await makeLog(base, instanceA, log)
    await store.create(instanceB)
    expect(await store.adopt(instanceB)).toBeUndefined()
    expect(await store.adopt(instanceB)).toBeUndefined()
    expect(left).toEqual([
      { path: join(base, instanceA), instanceId: instanceA, installationId: owner, isOfFormerLayout: false },
    ])
    expect(store.leftAloneCount).toBe(1)
    expect(await readdir(base)).toContain(instanceA)
  })

  test('is left alone without a log line when it is empty', async () => {
    await makeLog(base, instanceA, { owner: undefined, segments: [] })
    await store.create(instanceB)
    expect(await store.adopt(instanceB)).toBeUndefined()
    expect(left).toEqual([])
  })
})

test('A log of a former layout of the bus is left alone, once and with its reason', async () => {
  await makeLog(base, instanceA, { owner: installationId, segments: [installationId] })
  const moved = storeOf({ isOfFormerLayout: async (id) => id === instanceA })
  await moved.create(instanceB)
  expect(await moved.adopt(instanceB)).toBeUndefined()
  expect(await moved.adopt(instanceB)).toBeUndefined()
  expect(left).toMatchObject([{ instanceId: instanceA, isOfFormerLayout: true }])
  expect(moved.leftAloneCount).toBe(1)
})

describe('A log of an earlier version', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['in the same folder             ', false, instanceA],
    ['adopted before                 ', false, `${instanceA}@${instanceC}`],
    ['where all logs were kept before', true, instanceA],
    ['there, and adopted before      ', true, `${instanceA}@${instanceC}`],
  ] as const)('%s is adopted by the installation that knows its instance', async (_name, isFormer, name) => {
    const former = base
    base = isFormer ? join(former, installationId) : base
    await makeLog(former, name, { owner: undefined, segments: [undefined, undefined] })
    const knowing = storeOf({ formerBase: former, isOwnInstance: async (id) => id === instanceA })
    await knowing.create(instanceB)
    const folder = await knowing.adopt(instanceB)
    expect(folder?.instanceId).toBe(instanceA)
    expect(await folder!.segments()).toEqual([{ no: 1, bytes: 10 }, { no: 2, bytes: 10 }])
    expect(String(await folder!.read(2))).toBe('SLUFframes')
    expect((await readdir(base)).sort()).toEqual([`${instanceA}@${instanceB}`, instanceB, claimFile].sort())
    expect(await knowing.adopt(instanceB)).toBeUndefined()
    await folder!.remove()
    base = former
  })

  test('is not adopted by another installation that was started in the same folder', async () => {
    await makeLog(base, instanceA, { owner: undefined, segments: [undefined] })
    const other = storeOf({ base: join(base, otherId), formerBase: base, installationId: otherId })
    await other.create(instanceB)
    expect(await other.adopt(instanceB)).toBeUndefined()
    const own = storeOf({
      base: join(base, installationId),
      formerBase: base,
      isOwnInstance: async () => true,
    })
    await own.create(instanceC)
    expect((await own.adopt(instanceC))?.instanceId).toBe(instanceA)
  })

  test('of a live process is not adopted', async () => {
    const folder = await store.create(instanceA)
    const own = storeOf({
      base: join(base, installationId),
      formerBase: base,
      isOwnInstance: async () => true,
    })
    await own.create(instanceB)
    expect(await own.adopt(instanceB)).toBeUndefined()
    await folder.close()
  })
})

test('a segment has a header with installation and process, which is not part of its frames', async () => {
  const folder = await store.create(instanceA)
  await folder.append(1, [Buffer.from('one')])
  await folder.close()
  await folder.append(1, [Buffer.from('two')])
  const file = await readFile(join(base, instanceA, '00000001.log'))
  const header = encodeSegmentHeader({ installationId, instanceId: instanceA })
  expect(file.subarray(0, segmentHeaderBytes)).toEqual(header)
  expect(String(file.subarray(segmentHeaderBytes))).toBe('onetwo')
  expect(String(await folder.read(1))).toBe('onetwo')
  await folder.close()
})

/**
 * Creates the log of a dead process; segments without an installation are those of an earlier
 * version.
 */
async function makeLog(
  within: string,
  name: string,
  log: { readonly owner: string | undefined; readonly segments: readonly (string | undefined)[] },
): Promise<void> {
  const path = join(within, name)
  await mkdir(path, { recursive: true })
  const owner = { pid: await deadPid(), startMark: 'gone', host: 'gone' }
  const text = JSON.stringify(
    log.owner === undefined ? owner : { ...owner, installation: log.owner },
  )
  await writeFile(join(path, 'owner.json'), text)
  await utimes(join(path, 'owner.json'), 1, 1)
  for (const [index, id] of log.segments.entries()) {
    const header =
      id === undefined ? [] : [encodeSegmentHeader({ installationId: id, instanceId: instanceA })]
    const file = Buffer.concat([...header, Buffer.from('SLUFframes')])
    await writeFile(join(path, `${String(index + 1).padStart(8, '0')}.log`), file)
  }
}

test('the check of a folder leaves nothing, fails when the folder is gone, and is no segment', async () => {
  const folder = await store.create(instanceA)
  await folder.append(1, [Buffer.from('frame')])
  const before = await readdir(join(base, instanceA))
  await folder.check()
  expect(await readdir(join(base, instanceA))).toEqual(before)
  // A process that is killed during the check leaves its file.
  await writeFile(join(base, instanceA, 'check'), 'x')
  expect((await folder.segments()).map(({ no }) => no)).toEqual([1])
  await rm(join(base, instanceA), { recursive: true })
  await expect(folder.check()).rejects.toThrow(/ENOENT/)
})
