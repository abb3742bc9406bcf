import {
  numberOf,
  type StackReader,
  splitHead,
  type TextException,
  type TextFrame,
} from './stack-text.ts'

const frameLine = /^\s*at (.+)$/
const lineNumber = /:line (\d{1,9})$/
const inFile = ' in '
const depthMax = 50

/**
 * The format of `Exception.ToString()`: all headers first, each `--->` one cause deeper; then the
 * frames of the innermost exception, a line that ends them, and the frames of the next outer one.
 * Innermost call first.
 */
export const readDotnetStack: StackReader = (lines) => {
  const chain: TextException[] = []
  const heads: { type: string; value: string }[] = []
  let frames: TextFrame[] = []
  const close = () => {
    const head = heads.pop() ?? { type: '', value: '' }
    if (frames.length > 0) chain.push({ ...head, frames: frames.reverse() })
    frames = []
  }
  for (const line of lines) {
    const frame = frameLine.exec(line)
    if (frame !== null) frames.push(frameOf(splitPlace(frame[1]!)))
    else if (/^\s*--- End of inner exception stack trace ---/.test(line)) close()
    else if (depthMax <= heads.length) continue
    else if (heads.length === 0 && frames.length === 0) heads.push(splitHead(line))
    else {
      const cause = /^\s*---> (.*)$/.exec(line)
      if (cause !== null) heads.push(splitHead(cause[1]!))
    }
  }
  close()
  return chain
}

interface PlacedCall {
  readonly call: string
  readonly filename?: string
  readonly line?: string
}

/**
 * `call in file:line 12`: the file begins after the first ` in ` with a call before it and a name
 * after it.
 */
function splitPlace(text: string): PlacedCall {
  const end = lineNumber.exec(text)
  if (end === null) return { call: text }
  const start = text.indexOf(inFile, 1)
  const from = start + inFile.length
  if (start < 0 || end.index <= from) return { call: text }
  return { call: text.slice(0, start), filename: text.slice(from, end.index), line: end[1]! }
}

function frameOf({ call, filename, line }: PlacedCall): TextFrame {
  const open = call.indexOf('(')
  const name = open < 0 ? call : call.slice(0, open)
  const dot = name.lastIndexOf('.')
  return {
    ...(dot > 0 ? { module: name.slice(0, dot) } : {}),
    function: name.slice(dot + 1),
    ...(filename === undefined ? {} : { filename }),
    ...numberOf(line),
  }
}
