/** Attachments in a bucket: what OBJECT_STORE_URL opens, at a service that checks signatures. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type S3Server, startS3Server } from '../../test/fixtures/processes/s3-server.ts'
import { attachmentDayPrefix, attachmentKey } from './attachment-key.ts'
import type { ObjectStore } from './object-store.ts'
import { type ObjectStoreEnv, openObjectStore } from './open-object-store.ts'
import type { Patience } from './s3-store.ts'

let s3: S3Server
beforeAll(async () => {
  s3 = await startS3Server()
})
afterAll(() => s3?.stop())
beforeEach(() => {
  s3.objects.clear()
  s3.requests.length = 0
  s3.failures.length = 0
})

function open(env: Partial<ObjectStoreEnv> = {}, patience?: Patience): Promise<ObjectStore> {
  const { S3_ENDPOINT, S3_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = s3.env
  return openObjectStore(
    {
      OBJECT_STORE_URL: `s3://${s3.bucket}/files/of us?endpoint=${S3_ENDPOINT}&region=${S3_REGION}`,
      SLUICE_DATA_DIR: '/nowhere',
      AWS_ACCESS_KEY_ID,
      AWS_SECRET_ACCESS_KEY,
      AWS_SESSION_TOKEN: undefined,
      ...env,
    },
    patience,
  )
}

const storedOn = '2026-11-23'
const keyOf = (digit: string, day = storedOn) =>
  attachmentKey({ projectId: 7, storedOn: day, sha256: digit.repeat(64) })

async function listAll(store: ObjectStore, prefix: string) {
  const found: [key: string, bytes: number][] = []
  for await (const { key, bytes } of store.list(prefix)) found.push([key, bytes])
  return found.sort()
}

test('files are stored, read, listed over pages and removed', async () => {
  const store = await open()
  expect(store.name).toBe('s3://backups/files/of us')
  expect(await store.get(keyOf('a'))).toBeUndefined()
  const bytes = Buffer.from([0, 255, 13, 10, 60, 38])
  for (const digit of ['a', 'b', 'c', 'd', 'e']) await store.put(keyOf(digit), bytes)
  await store.put(keyOf('a', '2026-11-24'), bytes)
  await store.put(keyOf('a'), Buffer.alloc(0))
  expect(await store.get(keyOf('a'))).toEqual(Buffer.alloc(0))
  expect(await store.get(keyOf('b'))).toEqual(bytes)
  expect([...s3.objects.keys()][0]).toBe(`files/of us/${keyOf('a')}`)
  // More than a page of the service, and nothing of another day.
  expect(await listAll(store, attachmentDayPrefix(storedOn))).toEqual([
    [keyOf('a'), 0],
    ...['b', 'c', 'd', 'e'].map((digit) => [keyOf(digit), 6]),
  ])
  for (const digit of ['a', 'b', 'c', 'd', 'e']) await store.remove(keyOf(digit))
  await store.remove(keyOf('a'))
  expect(await listAll(store, attachmentDayPrefix(storedOn))).toEqual([])
  expect(s3.objects.size).toBe(1)
})

test('a file of many bytes comes back as it was', async () => {
  const store = await open()
  const bytes = Buffer.alloc(20 * 1024 * 1024, 'attachment ')
  await store.put(keyOf('a'), bytes)
  expect((await store.get(keyOf('a')))?.equals(bytes)).toBe(true)
})

describe('trouble that may pass', () => {
  test.each([
    ['a server error', 500],
    ['a busy server', 503],
    ['too many requests', 429],
    ['a reply that is cut', 'cuts'],
  ] as const)('%s is tried again, and the file is there', async (_name, failure) => {
    const store = await open()
    s3.failures.push(failure)
    await store.put(keyOf('a'), Buffer.from('text'))
    expect(s3.requests).toHaveLength(2)
    s3.failures.push(failure)
    expect(await store.get(keyOf('a'))).toEqual(Buffer.from('text'))
    s3.failures.push(failure)
    expect(await listAll(store, attachmentDayPrefix(storedOn))).toHaveLength(1)
    s3.failures.push(failure)
    await store.remove(keyOf('a'))
    expect(s3.objects.size).toBe(0)
  })

  test('a request that hangs ends in time, as often as the caller has patience', async () => {
    const store = await open({}, { attemptsMax: 2, requestMsMax: 150 })
    s3.failures.push('hangs')
    await store.put(keyOf('a'), Buffer.from('text'))
    expect(s3.requests).toHaveLength(2)
    s3.failures.push('hangs', 'hangs', 'hangs')
    const what = `s3://backups/files/of us: ${keyOf('b')} could not be written: `
    await expect(store.put(keyOf('b'), Buffer.from('text'))).rejects.toThrow(what)
    expect(s3.requests).toHaveLength(4)
  })

  test('trouble that does not pass is one sentence', async () => {
    const store = await open({}, { attemptsMax: 2, requestMsMax: 5_000 })
    s3.failures.push(503, 503)
    await expect(store.get(keyOf('a'))).rejects.toThrow(
      `s3://backups/files/of us: ${keyOf('a')} could not be read: the storage replied 503, InternalError, Try again.`,
    )
  })
})

describe('trouble that does not pass by itself is not tried again:', () => {
  test.each<[name: string, env: Partial<ObjectStoreEnv>, reason: string]>([
    ['a wrong secret', { AWS_SECRET_ACCESS_KEY: 'other' }, '403, SignatureDoesNotMatch'],
    ['an unknown key', { AWS_ACCESS_KEY_ID: 'other' }, '403, SignatureDoesNotMatch'],
  ])('%s', async (_name, env, reason) => {
    const store = await open(env)
    const work: readonly Promise<unknown>[] = [
      store.put(keyOf('a'), Buffer.from('text')),
      store.get(keyOf('a')),
      listAll(store, attachmentDayPrefix(storedOn)),
      store.remove(keyOf('a')),
    ]
    for (const one of await Promise.allSettled(work)) {
      expect(one.status === 'rejected' && String(one.reason)).toContain(reason)
    }
    expect(s3.requests).toHaveLength(work.length)
    expect(s3.objects.size).toBe(0)
  })

  test('another region', async () => {
    const { S3_ENDPOINT } = s3.env
    const store = await open({ OBJECT_STORE_URL: `s3://backups?endpoint=${S3_ENDPOINT}` })
    await expect(store.get(keyOf('a'))).rejects.toThrow('403, SignatureDoesNotMatch')
  })

  test('a bucket that is not there', async () => {
    const { S3_ENDPOINT, S3_REGION } = s3.env
    const store = await open({
      OBJECT_STORE_URL: `s3://others?endpoint=${S3_ENDPOINT}&region=${S3_REGION}`,
    })
    await expect(store.put(keyOf('a'), Buffer.from('text'))).rejects.toThrow('404, NoSuchBucket')
    expect(s3.requests).toHaveLength(1)
  })

  test('keys that are not set are named', async () => {
    await expect(open({ AWS_SECRET_ACCESS_KEY: undefined })).rejects.toThrow(
      'OBJECT_STORE_URL names a bucket, which needs AWS_SECRET_ACCESS_KEY: set it.',
    )
  })
})
