import { StringDecoder } from 'node:string_decoder'

/** Longer lines are cut, so that a process cannot fill our memory with a single line. */
export const lineCharsMax = 32_768

/**
 * Splits chunks into lines and passes each to `onLine`. The returned `end` flushes the last line.
 */
export function splitLines(onLine: (line: string) => void): {
  readonly push: (chunk: Buffer) => void
  readonly end: () => void
} {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const emit = (line: string) => {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line
    if (text !== '') onLine(text.slice(0, lineCharsMax))
  }
  const take = (text: string) => {
    const lines = (rest + text).split('\n')
    rest = (lines.pop() ?? '').slice(0, lineCharsMax)
    for (const line of lines) emit(line)
  }
  return {
    push: (chunk) => take(decoder.write(chunk)),
    end: () => {
      take(decoder.end())
      emit(rest)
      rest = ''
    },
  }
}
