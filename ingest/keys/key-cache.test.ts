import { describe, expect, test } from 'vitest'
import type { DsnKeyNo, ProjectId, PublicKey } from '#schemas/ids.ts'
import { type DsnKey, KeyCache, loadsMax } from './key-cache.ts'
import { KeyUsage } from './key-usage.ts'

const publicKey = 'a'.repeat(32) as PublicKey
const key: DsnKey = {
  publicKey,
  keyNo: 1 as DsnKeyNo,
  projectId: 42 as ProjectId,
  projectText: '42',
  allowedOrigins: [],
  component: undefined,
  active: true,
}

function setUp() {
  const store = {
    key: key as DsnKey | undefined,
    isAway: false,
    loads: 0,
    load: async () => {
      store.loads += 1
      if (store.isAway) throw new Error('away')
      return store.key
    },
  }
  const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms }
  return { store, clock, keys: new KeyCache(store, clock) }
}

/** Sets up a cache whose loads end together when the test resolves them. */
function setUpSlow() {
  const waiting: ((key: DsnKey | undefined) => void)[] = []
  const store = {
    key: key as DsnKey | undefined,
    loads: 0,
    load: () => {
      store.loads += 1
      return new Promise<DsnKey | undefined>((resolve) => waiting.push(resolve))
    },
  }
  const keys = new KeyCache(store, { nowMs: () => 0, monotonicMs: () => 0 })
  const finish = (found: DsnKey | undefined) => {
    for (const resolve of waiting.splice(0)) resolve(found)
  }
  return { store, keys, finish }
}

describe('the key cache', () => {
  test('loads a key on first use and then caches it', async () => {
    const { keys, store } = setUp()
    expect(keys.peek(publicKey)).toBeUndefined()
    expect(await keys.load(publicKey)).toBe(key)
    expect(keys.peek(publicKey)).toBe(key)
    expect(store.loads).toBe(1)
  })

  test('shares one query among concurrent requests', async () => {
    const { keys, store } = setUp()
    const found = await Promise.all([1, 2, 3].map(() => keys.load(publicKey)))
    expect(found).toEqual([key, key, key])
    expect(store.loads).toBe(1)
  })

  test('caches an unknown key for a short time only, so that a new key is found', async () => {
    const { keys, store, clock } = setUp()
    store.key = undefined
    expect(await keys.load(publicKey)).toBe('unknown')
    clock.ms = 30_000
    expect(keys.peek(publicKey)).toBe('unknown')
    clock.ms = 30_001
    expect(keys.peek(publicKey)).toBeUndefined()
  })

  test('keeps using cached keys while the store is unavailable, and reports others as unavailable', async () => {
    const { keys, store, clock } = setUp()
    await keys.load(publicKey)
    store.isAway = true
    clock.ms = 3_600_000
    expect(keys.peek(publicKey)).toBe(key)
    await keys.load(publicKey)
    expect(keys.peek(publicKey)).toBe(key)
    expect(await keys.load('b'.repeat(32) as PublicKey)).toBe('unavailable')
    expect(keys.peek('b'.repeat(32) as PublicKey)).toBeUndefined()
  })

  test('reloads an old key in the background', async () => {
    const { keys, store, clock } = setUp()
    await keys.load(publicKey)
    store.key = { ...key, active: false }
    clock.ms = 60_001
    expect(keys.peek(publicKey)).toBe(key)
    await keys.load(publicKey)
    expect(keys.peek(publicKey)).toMatchObject({ active: false })
  })

  test('applies a change, also one that arrives while a load is running', async () => {
    const { keys, store } = setUp()
    await keys.load(publicKey)
    const running = keys.load(publicKey)
    store.key = { ...key, active: false }
    await keys.refresh(publicKey)
    await running
    expect(keys.peek(publicKey)).toMatchObject({ active: false })
  })

  test('reports an expired unknown key as unavailable while the store is unavailable', async () => {
    const { keys, store, clock } = setUp()
    store.key = undefined
    await keys.load(publicKey)
    store.isAway = true
    clock.ms = 30_001
    expect(await keys.load(publicKey)).toBe('unavailable')
    expect(keys.peek(publicKey)).toBeUndefined()
    store.isAway = false
    store.key = key
    expect(await keys.load(publicKey)).toBe(key)
  })

  test('applies a change that arrives while the first load of a key is running', async () => {
    const { keys, store, finish } = setUpSlow()
    const first = keys.load(publicKey)
    store.key = { ...key, active: false }
    const refreshed = keys.refresh(publicKey)
    finish(key)
    expect(await first).toBe(key)
    await expect.poll(() => store.loads).toBe(2)
    finish(store.key)
    await refreshed
    expect(keys.peek(publicKey)).toMatchObject({ active: false })
  })

  test('reads a change that arrives while the store is busy on the next use', async () => {
    const { keys, store, finish } = setUpSlow()
    const known = keys.load(publicKey)
    finish(key)
    await known
    const others = Array.from(
      { length: loadsMax },
      (_, at) => String(at).padStart(32, '0') as PublicKey,
    )
    const loads = others.map((other) => keys.load(other))
    await keys.refresh(publicKey)
    expect(store.loads).toBe(loadsMax + 1)
    finish(undefined)
    await Promise.all(loads)
    expect(keys.peek(publicKey)).toBe(key)
    expect(store.loads).toBe(loadsMax + 2)
    finish({ ...key, active: false })
    await keys.load(publicKey)
    expect(keys.peek(publicKey)).toMatchObject({ active: false })
  })

  test('lets thousands of keys wait for a responding store, and few for an unresponsive one', async () => {
    const { keys, store, clock } = setUp()
    const strangers = Array.from({ length: 1_000 }, (_, at) => String(at).padStart(32, '0'))
    const loadAll = () => Promise.all(strangers.map((each) => keys.load(each as PublicKey)))
    store.key = undefined
    expect(new Set(await loadAll())).toEqual(new Set(['unknown']))
    expect(store.loads).toBe(1_000)
    store.isAway = true
    clock.ms = 30_001
    await keys.load(strangers[0] as PublicKey)
    expect(new Set(await loadAll())).toEqual(new Set(['unavailable']))
    expect(store.loads).toBe(1_000 + 1 + 64)
    store.isAway = false
    await keys.load(strangers[0] as PublicKey)
    expect(new Set(await loadAll())).toEqual(new Set(['unknown']))
  })

  test('makes no query for a change of a key that is not cached', async () => {
    const { keys, store } = setUp()
    await keys.refresh(publicKey)
    expect(store.loads).toBe(0)
  })

  test('reloads every key after a lost connection, unknown keys at once', async () => {
    const { keys, store } = setUp()
    await keys.load(publicKey)
    const stranger = 'b'.repeat(32) as PublicKey
    store.key = undefined
    await keys.load(stranger)
    keys.expireAll()
    expect(keys.peek(stranger)).toBeUndefined()
    expect(keys.peek(publicKey)).toBe(key)
    expect(store.loads).toBe(3)
  })
})

test('key usage is written at most once a minute per key', () => {
  const usage = new KeyUsage()
  const keyNo = 1 as DsnKeyNo
  usage.touch(keyNo)
  usage.touch(keyNo)
  expect(usage.take(0)).toEqual([keyNo])
  expect(usage.take(1)).toEqual([])
  usage.touch(keyNo)
  expect(usage.take(59_999)).toEqual([])
  expect(usage.take(60_000)).toEqual([keyNo])
  expect(usage.take(200_000)).toEqual([])
})

test('a use whose write failed is written again at once', () => {
  const usage = new KeyUsage()
  const keyNos = [1, 2] as DsnKeyNo[]
  for (const keyNo of keyNos) usage.touch(keyNo)
  usage.putBack(usage.take(0))
  expect(usage.take(1)).toEqual(keyNos)
  expect(usage.take(2)).toEqual([])
})
