import { randomBytes } from 'node:crypto'
import { runIdDigits } from './event-ids.ts'

/** Unique for each run, so that ids of two runs against one stack never collide. */
export function newRunId(): string {
  return randomBytes(runIdDigits / 2).toString('hex')
}
