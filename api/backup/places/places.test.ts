import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FolderStore } from '#platform/objects/folder-store.ts'
import type { ObjectEntry } from '#platform/objects/object-store.ts'
import { type S3Server, startS3Server } from '../../../test/fixtures/processes/s3-server.ts'
import { openPlace } from './open-place.ts'
import type { Place } from './place.ts'

let folder: string
let s3: S3Server
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-place-'))
  s3 = await startS3Server()
})
afterAll(async () => {
  await s3?.stop()
  await rm(folder, { recursive: true, force: true })
})

const places: [string, () => Place][] = [
  ['a folder', () => openPlace(join(folder, 'new/one'), {})],
  ['S3 with a prefix', () => openPlace(`s3://${s3.bucket}/a b/ü+=&/c`, s3.env)],
  ['S3 without a prefix', () => openPlace(`s3://${s3.bucket}`, s3.env)],
]

async function listAll(place: Place, prefix: string): Promise<ObjectEntry[]> {
  const entries: ObjectEntry[] = []
  for await (const entry of place.list(prefix)) entries.push(entry)
  return entries.sort((a, b) => (a.key < b.key ? -1 : 1))
}

describe.each(places)('%s', (_name, open) => {
  test('stores, replaces, lists and removes files', async () => {
    const place = open()
    expect(await listAll(place, 'objects/')).toEqual([])
    expect(await place.get('objects/00/none')).toBeUndefined()
    const keys = [
      'objects/00/a',
      'objects/00/b',
      'objects/01/c',
      'objects/ff/d',
      'manifests/m.json',
    ]
    for (const [index, key] of keys.entries()) await place.put(key, Buffer.alloc(index + 1, key))
    await place.put('objects/00/b', Buffer.from('replaced\0\xff', 'latin1'))
    expect(await place.get('objects/00/b')).toEqual(Buffer.from('replaced\0\xff', 'latin1'))
    // More than a page of the S3 server.
    expect(await listAll(place, 'objects/')).toEqual([
      { key: 'objects/00/a', bytes: 1 },
      { key: 'objects/00/b', bytes: 10 },
      { key: 'objects/01/c', bytes: 3 },
      { key: 'objects/ff/d', bytes: 4 },
    ])
    for (const key of keys) await place.remove(key)
    await place.remove('objects/00/a')
    expect(await listAll(place, 'objects/')).toEqual([])
  })
})

test('S3: replies that may pass are retried, others are one sentence', async () => {
  const place = openPlace(`s3://${s3.bucket}/retry`, s3.env)
  s3.failures.push(503, 500, 429)
  await place.put('objects/00/a', Buffer.from('a'))
  expect(await place.get('objects/00/a')).toEqual(Buffer.from('a'))
  const wrong = openPlace(`s3://${s3.bucket}/retry`, { ...s3.env, AWS_SECRET_ACCESS_KEY: 'other' })
  await expect(wrong.put('objects/00/a', Buffer.from('b'))).rejects.toThrow(
    `s3://${s3.bucket}/retry: objects/00/a could not be written: the storage replied 403, SignatureDoesNotMatch, the signature differs.`,
  )
  const missing = openPlace('s3://other-bucket', s3.env)
  await expect(listAll(missing, 'objects/')).rejects.toThrow('404, NoSuchBucket')
})

test('S3: a service that does not answer is one sentence', async () => {
  const place = openPlace('s3://backups', { ...s3.env, S3_ENDPOINT: 'http://127.0.0.1:1' })
  await expect(place.put('objects/00/a', Buffer.from('a'))).rejects.toThrow(
    /^s3:\/\/backups: objects\/00\/a could not be written: .*\.$/,
  )
})

test('a folder: a file that could not be written completely leaves nothing', async () => {
  const path = join(folder, 'half')
  const place = new FolderStore(path)
  await place.put('objects/00/a', Buffer.from('a'))
  // A folder has the name of the file, so that the last step fails.
  await place.put('objects/01/b/c', Buffer.from('a'))
  await expect(place.put('objects/01/b', Buffer.from('b'))).rejects.toThrow(
    `${path}: objects/01/b could not be written`,
  )
  expect(await readdir(join(path, 'incomplete'))).toEqual([])
})

test('a file in the place of the folder is one sentence', async () => {
  await writeFile(join(folder, 'file'), '')
  await expect(new FolderStore(join(folder, 'file')).put('a/b', Buffer.from('a'))).rejects.toThrow(
    'a file has the name of the folder',
  )
})
