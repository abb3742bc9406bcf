import { type StackReader, splitHead, type TextException, type TextFrame } from './stack-text.ts'

const frameLine = /^\s*File "([^"]*)", line (\d{1,9})(?:, in (.*))?$/
/** Markers under the part of a line that failed. */
const markerLine = /^\s*[\^~][\^~ ]*$/

/**
 * Tracebacks with the most recent call last and causes before their effects, separated by blank
 * lines and a sentence.
 */
export const readPythonStack: StackReader = (lines) => {
  const chain: TextException[] = []
  let frames: TextFrame[] = []
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index]!
    const match = frameLine.exec(line)
    if (match !== null) {
      const next = lines[index + 1] ?? ''
      const isSource = /^\s{2,}\S/.test(next) && !frameLine.test(next) && !markerLine.test(next)
      frames.push({
        filename: match[1]!,
        lineno: Number(match[2]),
        ...(match[3] === undefined || match[3] === '<module>' ? {} : { function: match[3] }),
        ...(isSource ? { context_line: next } : {}),
      })
    } else if (frames.length > 0 && /^\S/.test(line)) {
      // An unindented line ends a traceback.
      chain.push({ ...splitHead(line), frames })
      frames = []
    }
  }
  if (frames.length > 0) chain.push({ type: '', value: '', frames })
  return chain
}
