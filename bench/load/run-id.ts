import { randomBytes } from 'node:crypto'
import { runIdDigits } from './event-ids.ts'

/** New for every run, so that the ids of two runs against one stack never meet. */
export function newRunId(): string {
  return randomBytes(runIdDigits / 2).toString('hex')
}
