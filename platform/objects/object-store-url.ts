/**
 * Where attachments lie, as OBJECT_STORE_URL says: a folder, or
 * `s3://bucket/prefix?endpoint=https://…&region=…&path_style=true`.
 */
export type ObjectStorePlace =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 's3'
      readonly bucket: string
      readonly prefix: string
      readonly region: string
      readonly endpoint: string
      readonly isPathStyle: boolean
    }

const bucketPattern = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i
const regionPattern = /^[a-z0-9-]{1,64}$/
const parameters: ReadonlySet<string> = new Set(['endpoint', 'region', 'path_style'])

/** Throws an error that says what is wrong. */
export function readObjectStoreUrl(text: string): ObjectStorePlace {
  if (text.includes('\0')) throw new Error('must not contain a zero byte')
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return { kind: 'folder', path: text }
  if (scheme !== 's3') throw new Error('must be a folder or s3://bucket/prefix')
  const queryAt = text.indexOf('?')
  const path = text.slice('s3://'.length, queryAt < 0 ? undefined : queryAt)
  const query = new URLSearchParams(queryAt < 0 ? '' : text.slice(queryAt + 1))
  for (const name of query.keys()) {
    if (!parameters.has(name)) {
      throw new Error(`${name} is unknown: only endpoint, region and path_style are read`)
    }
  }
  const [bucket = '', ...rest] = path.split('/').filter((part) => part !== '')
  if (!bucketPattern.test(bucket)) throw new Error(`"${bucket}" is not the name of a bucket`)
  const region = query.get('region') ?? 'us-east-1'
  if (!regionPattern.test(region)) throw new Error('region must be like eu-central-1')
  const given = query.get('endpoint')
  const endpoint = given ?? `https://s3.${region}.amazonaws.com`
  if (!/^https?:$/.test(protocolOf(endpoint))) throw new Error('endpoint must be an http(s) URL')
  return {
    kind: 's3',
    bucket,
    prefix: rest.join('/'),
    region,
    endpoint,
    // Amazon wants the bucket in the host name; other services accept it in the path.
    isPathStyle: (query.get('path_style') ?? String(given !== null)) === 'true',
  }
}

function protocolOf(url: string): string {
  try {
    return new URL(url).protocol
  } catch {
    return ''
  }
}
