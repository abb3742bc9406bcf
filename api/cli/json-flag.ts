import { UsageError } from './usage-error.ts'

/** Parses a flag that holds JSON. Its fields are checked by the caller. */
export function readJsonFlag(flag: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UsageError(`${flag} must be JSON.`, { cause })
  }
}
