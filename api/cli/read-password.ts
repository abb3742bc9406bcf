/** Reads a password from a file, so that it is neither in the process list nor in a history. */
import { createReadStream } from 'node:fs'
import { Password } from '#schemas/rest/person.ts'
import { check } from './check.ts'
import { UsageError } from './usage-error.ts'

/** More than the longest password in UTF-8. */
const bytesMax = 2_048

/** `path`: a file, or `-` for standard input. One line break at its end is not part of it. */
export async function readPassword(path: string): Promise<string> {
  const bytes = await readStart(path)
  if (bytes.length > bytesMax) refuse(`must have at most ${bytesMax} bytes`)
  const text = decode(bytes).replace(/\r?\n$/, '')
  if (text === '') refuse('must hold the password, and it is empty')
  if (/\p{Cc}/u.test(text)) refuse('must hold one line without control characters')
  return check(Password, '--password-file', text)
}

/** At most one chunk more than `bytesMax`. */
async function readStart(path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    const source = path === '-' ? process.stdin : createReadStream(path, { end: bytesMax })
    for await (const chunk of source as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (bytesMax < length) break
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`--password-file cannot be read: ${reason}.`, { cause })
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return refuse('must be UTF-8 text')
  }
}

function refuse(rule: string): never {
  throw new UsageError(`--password-file is not valid: it ${rule}.`)
}
