import { open } from 'node:fs/promises'
import type { z } from 'zod'
import { KiB } from '#schemas/limits.ts'
import { findHostileText } from '../http/validation/hostile-text.ts'
import { checkValue } from '../http/validation/validation-rules.ts'
import { UsageError } from './usage-error.ts'

/** As the largest body of the API. */
const bytesMax = 64 * KiB

/** A JSON object from a file, or from standard input when the path is `-`. */
export async function readJsonFile(path: string): Promise<Record<string, unknown>> {
  const text = await readText(path)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new UsageError(`${nameOf(path)} must hold JSON.`, { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${nameOf(path)} must hold a JSON object.`)
  }
  const hostile = findHostileText(value, 'file')
  if (hostile !== undefined) throw new UsageError(`\`${hostile.field}\`: ${hostile.rule}.`)
  return value as Record<string, unknown>
}

/** Parses a value of a file. A UsageError names its field. */
export function checkFields<Shape extends z.ZodType>(shape: Shape, value: unknown): z.infer<Shape> {
  const parsed = checkValue(shape, value, 'file')
  if (parsed.success) return parsed.data
  const [{ field, rule }] = parsed.errors
  throw new UsageError(`\`${field}\`: ${rule}.`)
}

const nameOf = (path: string) => (path === '-' ? 'Standard input' : `The file ${path}`)

async function readText(path: string): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    const input = path === '-' ? process.stdin : (await open(path)).createReadStream()
    for await (const part of input) {
      size += (part as Buffer).length
      if (size > bytesMax) break
      parts.push(part as Buffer)
    }
  } catch (cause) {
    throw new UsageError(`${nameOf(path)} cannot be read.`, { cause })
  }
  if (size > bytesMax) {
    throw new UsageError(`${nameOf(path)} must have at most ${bytesMax / KiB} KiB.`)
  }
  return Buffer.concat(parts).toString('utf8')
}
