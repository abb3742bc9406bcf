/** Opens the place that a command names. */
import { readEnv } from '#platform/env.ts'
import { FolderStore } from '#platform/objects/folder-store.ts'
import { S3Store } from '#platform/objects/s3-store.ts'
import { BackupError } from '../backup-error.ts'
import type { Place } from './place.ts'

/** @param named a path, or `s3://bucket/prefix`. */
export function openPlace(named: string, env: NodeJS.ProcessEnv): Place {
  if (named.trim() === '' || named.includes('\0')) {
    throw new BackupError('The place is empty: name a folder, or s3://bucket/prefix.')
  }
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(named)?.[1]?.toLowerCase()
  if (scheme === undefined) return new FolderStore(named)
  if (scheme !== 's3') {
    throw new BackupError(`${scheme}:// is not supported: name a folder, or s3://bucket/prefix.`)
  }
  return openS3(named.slice('s3://'.length), env)
}

function openS3(path: string, env: NodeJS.ProcessEnv): Place {
  const [bucket = '', ...rest] = path.split('/').filter((part) => part !== '')
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket)) {
    throw new BackupError(`"${bucket}" is not the name of a bucket: write s3://bucket/prefix.`)
  }
  const read = readSettings(env)
  const region = read.S3_REGION
  return new S3Store({
    bucket,
    prefix: rest.join('/'),
    region,
    endpoint: read.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
    accessKeyId: expectSet('AWS_ACCESS_KEY_ID', read.AWS_ACCESS_KEY_ID),
    secretAccessKey: expectSet('AWS_SECRET_ACCESS_KEY', read.AWS_SECRET_ACCESS_KEY),
    sessionToken: read.AWS_SESSION_TOKEN,
    // Amazon wants the bucket in the host name; other services accept it in the path.
    isPathStyle: read.S3_PATH_STYLE ?? read.S3_ENDPOINT !== undefined,
  })
}

function readSettings(env: NodeJS.ProcessEnv) {
  try {
    return readEnv(
      [
        'S3_ENDPOINT',
        'S3_REGION',
        'S3_PATH_STYLE',
        'AWS_ACCESS_KEY_ID',
        'AWS_SECRET_ACCESS_KEY',
        'AWS_SESSION_TOKEN',
      ],
      env,
    )
  } catch (error) {
    const text = (error as Error).message.replace(/(?<!\s)\s*\n\s*/g, ' ')
    throw new BackupError(`${text}.`, { cause: error })
  }
}

function expectSet(name: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw new BackupError(`A place in S3 needs ${name}: set it in the environment.`)
}
