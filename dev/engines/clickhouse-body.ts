/** Reads the body of a call: SQL text into memory, rows into a file, both of bounded size. */
import { createWriteStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { ClickHouseRefusal } from './clickhouse-error.ts'

const sqlBytesMax = 4 * 1024 * 1024
const rowsBytesMax = 512 * 1024 * 1024

export async function readSql(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  const memory = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  await receive(request, sqlBytesMax, memory)
  return Buffer.concat(chunks).toString('utf8')
}

export async function saveRows(request: IncomingMessage, path: string): Promise<void> {
  await receive(request, rowsBytesMax, createWriteStream(path, { mode: 0o600 }))
}

async function receive(request: IncomingMessage, bytesMax: number, sink: Writable): Promise<void> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new ClickHouseRefusal(48, 501, 'NOT_IMPLEMENTED', `Content-Encoding ${encoding}`)
  }
  const bound = boundBytes(bytesMax)
  try {
    if (encoding === 'gzip') await pipeline(request, createGunzip(), bound, sink)
    else await pipeline(request, bound, sink)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) {
      throw new ClickHouseRefusal(354, 400, 'ZLIB_INFLATE_FAILED', 'the body is not gzip')
    }
    throw error
  }
}

function boundBytes(bytesMax: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes <= bytesMax) return done(null, chunk)
      const text = `the body is larger than ${bytesMax} bytes`
      done(new ClickHouseRefusal(307, 413, 'TOO_MANY_BYTES', text))
    },
  })
}
