/**
 * Reads a body of type multipart/form-data with a parser of its own, within limits of parts, names
 * and bytes. A part beyond a limit is left out and counted. Not on the path of ordinary events.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { attachmentBytesMax, attachmentsPerEventMax, KiB, MiB } from '#schemas/limits.ts'

export interface UploadedFile {
  /** Name of the form field. */
  readonly field: string
  readonly name: string
  readonly contentType: string
  readonly content: Buffer
}

export interface Multipart {
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly files: readonly UploadedFile[]
  /** Files that are larger than a file may be. */
  readonly tooLarge: number
  /** Files beyond the number that an event may have. Those after the first are not counted. */
  readonly tooMany: number
}

const fieldsMax = 1_000
const partsMax = fieldsMax + attachmentsPerEventMax
/** A dump and the parts that hold the event come beside the files that are kept. */
export const filesPerRequestMax = attachmentsPerEventMax + 4
const headerPairsMax = 20
const sliceBytes = MiB

/** Undefined when the body is not what the content type says. */
export async function readMultipart(
  body: Buffer,
  contentType: string,
): Promise<Multipart | undefined> {
  const parser = createParser(contentType)
  if (parser === undefined) return undefined
  const fields: [string, string][] = []
  const files: UploadedFile[] = []
  const counts = { tooLarge: 0, tooMany: 0 }
  parser.on('field', (name, value, _nameTruncated, isCut) => {
    if (!isCut) fields.push([name, value])
  })
  parser.on('file', (field, stream, name, _encoding, type) => {
    const chunks: Buffer[] = []
    let isCut = false
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('limit', () => {
      isCut = true
      chunks.length = 0
    })
    stream.on('error', () => undefined)
    stream.on('end', () => {
      if (isCut) counts.tooLarge += 1
      else files.push({ field, name, contentType: type, content: Buffer.concat(chunks) })
    })
  })
  parser.on('filesLimit', () => {
    counts.tooMany += 1
  })
  const finished = new Promise<boolean>((resolve) => {
    parser.on('finish', () => resolve(true))
    parser.on('error', () => resolve(false))
    parser.on('close', () => resolve(false))
  })
  for (let start = 0; start < body.length; start += sliceBytes) {
    parser.write(body.subarray(start, start + sliceBytes))
    // Other requests are not held up, and the parts are read meanwhile.
    await nextTurn()
    if (parser.destroyed) return undefined
  }
  parser.end()
  return (await finished) ? { fields, files, ...counts } : undefined
}

function createParser(contentType: string): BusboyInstance | undefined {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fieldNameSize: 200,
        fieldSize: MiB,
        fields: fieldsMax,
        fileSize: attachmentBytesMax,
        files: filesPerRequestMax,
        parts: partsMax,
        headerPairs: headerPairsMax,
        headerSize: 16 * KiB,
      },
    })
  } catch {
    return undefined
  }
}
