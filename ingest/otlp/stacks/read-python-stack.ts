import { type StackReader, splitHead, type TextException, type TextFrame } from './stack-text.ts'

const frameLine = /^\s*File "([^"]*)", line (\d{1,9})(?:, in (.*))?$/
/** Underlines the part of a line that failed. */
const markerLine = /^\s*[\^~][\^~ ]*$/

/** Tracebacks with the most recent call last, causes before what they caused, blank lines and a sentence between them. */
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
      // The line without indentation that ends a traceback.
      chain.push({ ...splitHead(line), frames })
      frames = []
    }
  }
  if (frames.length > 0) chain.push({ type: '', value: '', frames })
  return chain
}
