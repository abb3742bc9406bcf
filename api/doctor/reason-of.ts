import { maskCredentials } from '#platform/text/mask-credentials.ts'
import { printable } from '../operation/text/printable.ts'

const causesMax = 4

/** One line for people, from the innermost cause that has words. URLs with passwords are cut. */
export function reasonOf(error: unknown): string {
  let text = 'unknown error'
  for (let depth = 0, at = error; depth < causesMax && at instanceof Error; depth += 1) {
    if (at instanceof AggregateError && at.errors[0] instanceof Error) at = at.errors[0]
    if (!(at instanceof Error)) break
    const { code } = at as { code?: unknown }
    if (isLate(at)) {
      // The cause of a time limit is only that the connection was closed because of it.
      text = 'no answer in time'
      break
    }
    if (at.message !== '' && at.message !== 'fetch failed') text = at.message
    else if (typeof code === 'string') text = code
    at = at.cause
  }
  const line = text.split('\n', 1)[0] ?? text
  return printable(maskCredentials(line)).replace(/\.$/, '')
}

function isLate({ name, message }: Error): boolean {
  if (name === 'TimeoutError' || name === 'AbortError') return true
  return /timeout|timed out|aborted a request/i.test(message)
}
