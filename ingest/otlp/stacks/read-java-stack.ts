import {
  numberOf,
  type StackReader,
  splitHead,
  type TextException,
  type TextFrame,
} from './stack-text.ts'

/**
 * `at loader//package.Class.method(File.java:12)`, innermost call first. Each `Caused by:` starts
 * the cause of the exception above it.
 */
export const readJavaStack: StackReader = (lines) => {
  const chain: TextException[] = []
  let head = { type: '', value: '' }
  let frames: TextFrame[] = []
  // Suppressed exceptions, thrown while closing resources, are not causes.
  let isSuppressed = false
  const close = () => {
    if (frames.length > 0) chain.push({ ...head, frames: frames.reverse() })
    frames = []
  }
  for (const line of lines) {
    const text = line.trim()
    const cause = /^Caused by: (.*)$/.exec(line)
    if (cause !== null) {
      close()
      head = splitHead(cause[1]!)
      isSuppressed = false
    } else if (text.startsWith('Suppressed: ')) isSuppressed = true
    else if (!isSuppressed && text.startsWith('at ')) {
      const frame = frameOf(text.slice(3))
      if (frame !== undefined) frames.push(frame)
    } else if (frames.length === 0 && chain.length === 0 && /^\S/.test(line)) head = splitHead(line)
  }
  close()
  return chain.reverse()
}

function frameOf(text: string): TextFrame | undefined {
  const open = text.indexOf('(')
  const shut = text.indexOf(')', open)
  if (open < 0 || shut < 0) return undefined
  const name = text.slice(text.lastIndexOf('/', open) + 1, open)
  const dot = name.lastIndexOf('.')
  if (dot <= 0) return undefined
  const place = /^([^:]+?)(?::(\d{1,9}))?$/.exec(text.slice(open + 1, shut))
  const filename = place?.[1]?.includes('.') === true ? { filename: place[1] } : {}
  return {
    module: name.slice(0, dot),
    function: name.slice(dot + 1),
    ...filename,
    ...numberOf(place?.[2]),
  }
}
