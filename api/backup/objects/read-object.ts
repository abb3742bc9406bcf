/** Reads an object and checks that it is what the manifest names. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { ObjectRef } from '#schemas/backup/manifest.ts'
import { objectKey, type Place } from '../places/place.ts'

const decompress = promisify(gunzip)

/** More than any row and any piece of a table has. A manifest that claims more is not ours. */
const objectBytesMax = 2 ** 30

export type ReadObject =
  | { readonly kind: 'object'; readonly bytes: Buffer }
  | { readonly kind: 'missing' }
  | { readonly kind: 'corrupt'; readonly reason: string }

export async function readObject(place: Place, object: ObjectRef): Promise<ReadObject> {
  if (object.bytes > objectBytesMax) {
    return { kind: 'corrupt', reason: `the manifest says that it has ${object.bytes} bytes` }
  }
  const stored = await place.get(objectKey(object.sha256))
  if (stored === undefined) return { kind: 'missing' }
  let bytes: Buffer
  try {
    // The bound protects against a file that was replaced by one that expands without end.
    bytes = await decompress(stored, { maxOutputLength: Math.max(1, object.bytes) })
  } catch (error) {
    return { kind: 'corrupt', reason: `it cannot be decompressed (${(error as Error).message})` }
  }
  if (bytes.length !== object.bytes) {
    return { kind: 'corrupt', reason: `it has ${bytes.length} bytes instead of ${object.bytes}` }
  }
  if (createHash('sha256').update(bytes).digest('hex') !== object.sha256) {
    return { kind: 'corrupt', reason: 'its SHA-256 differs' }
  }
  return { kind: 'object', bytes }
}
