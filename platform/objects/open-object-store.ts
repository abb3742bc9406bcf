/** Opens the store of files: a folder below the data folder, or what OBJECT_STORE_URL says. */
import { join, resolve } from 'node:path'
import type { Env } from '../env.ts'
import { FolderStore } from './folder-store.ts'
import type { ObjectStore } from './object-store.ts'
import { type ObjectStorePlace, readObjectStoreUrl } from './object-store-url.ts'
import type { Patience } from './s3-store.ts'
import { StorageError } from './storage-error.ts'

export const objectStoreNames = [
  'OBJECT_STORE_URL',
  'SLUICE_DATA_DIR',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
] as const

export type ObjectStoreEnv = Env<(typeof objectStoreNames)[number]>

/** The folder when OBJECT_STORE_URL is empty. */
export function objectStorePlace(
  env: Pick<ObjectStoreEnv, 'OBJECT_STORE_URL' | 'SLUICE_DATA_DIR'>,
): ObjectStorePlace {
  const { OBJECT_STORE_URL: url } = env
  return url === undefined
    ? { kind: 'folder', path: join(resolve(env.SLUICE_DATA_DIR), 'objects') }
    : readObjectStoreUrl(url)
}

/** @param patience how long a call to S3 waits; absent: minutes. */
export async function openObjectStore(
  env: ObjectStoreEnv,
  patience?: Patience,
): Promise<ObjectStore> {
  const place = objectStorePlace(env)
  if (place.kind === 'folder') return new FolderStore(place.path)
  // Loaded only by installations that use it.
  const { S3Store } = await import('./s3-store.ts')
  const { kind: _, ...bucket } = place
  return new S3Store({
    ...bucket,
    accessKeyId: expectSet('AWS_ACCESS_KEY_ID', env.AWS_ACCESS_KEY_ID),
    secretAccessKey: expectSet('AWS_SECRET_ACCESS_KEY', env.AWS_SECRET_ACCESS_KEY),
    sessionToken: env.AWS_SESSION_TOKEN,
    ...(patience === undefined ? {} : { patience }),
  })
}

function expectSet(name: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw new StorageError(`OBJECT_STORE_URL names a bucket, which needs ${name}: set it.`)
}
