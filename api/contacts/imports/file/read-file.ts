import type { Readable } from 'node:stream'
import { CodedError } from '#schemas/error-codes.ts'
import { invalidField } from '../../../http/validation/invalid-field.ts'

const chunkBytes = 256 * 1024

/** Splits a file into chunks of the size in which it is stored. */
export function chunksOf(file: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(file.length / chunkBytes) }, (_, no) =>
    file.subarray(no * chunkBytes, (no + 1) * chunkBytes),
  )
}

/** Reads a request body into chunks. Throws `body_too_large` as soon as the limit is exceeded. */
export async function readFile(body: Readable | undefined, bytesMax: number): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let bytes = 0
  for await (const part of (body ?? []) as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytesMax < bytes) throw new CodedError('body_too_large')
    waiting.push(part)
    waitingBytes += part.length
    if (waitingBytes < chunkBytes) continue
    chunks.push(Buffer.concat(waiting))
    waiting = []
    waitingBytes = 0
  }
  if (waitingBytes > 0) chunks.push(Buffer.concat(waiting))
  if (chunks.length === 0) throw invalidField('file', 'must not be empty')
  return chunks
}
