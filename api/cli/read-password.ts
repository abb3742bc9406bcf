/** Reads a password from a file, so that it appears neither in the process list nor in a history. */
import { open } from 'node:fs/promises'
import { Password } from '#schemas/rest/person.ts'
import { check } from './check.ts'
import { UsageError } from './usage-error.ts'

/** More than the longest password in UTF-8. */
const bytesMax = 2_048

/** `path`: a file, or `-` for standard input. One line break at the end is not part of the password. */
export async function readPassword(path: string): Promise<string> {
  const bytes = await readStart(path === '-' ? '/dev/stdin' : path)
  if (bytes.length > bytesMax) refuse(`must have at most ${bytesMax} bytes`)
  const text = decode(bytes).replace(/\r?\n$/, '')
  if (text === '') refuse('must hold the password, and it is empty')
  if (/\p{Cc}/u.test(text)) refuse('must hold one line without control characters')
  return check(Password, '--password-file', text)
}

async function readStart(path: string): Promise<Buffer> {
  const buffer = Buffer.alloc(bytesMax + 1)
  let length = 0
  try {
    const file = await open(path, 'r')
    try {
      // A pipe returns what it has, so one read may not be all.
      for (;;) {
        const { bytesRead } = await file.read(buffer, length, buffer.length - length)
        if (bytesRead === 0) break
        length += bytesRead
      }
    } finally {
      await file.close()
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`--password-file cannot be read: ${reason}.`, { cause })
  }
  return buffer.subarray(0, length)
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
