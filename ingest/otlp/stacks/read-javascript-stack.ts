import type { StackReader, TextFrame } from './stack-text.ts'

/**
 * V8 writes `at name (location)`, Firefox and Safari `name@location`; both have the innermost call
 * first.
 */
export const readJavaScriptStack: StackReader = (lines) => {
  const frames: TextFrame[] = []
  for (const line of lines) {
    const text = line.trim()
    const frame = text.startsWith('at ') ? chromeFrame(text.slice(3)) : firefoxFrame(text)
    if (frame !== undefined) frames.push(frame)
  }
  return frames.length === 0 ? [] : [{ type: '', value: '', frames: frames.reverse() }]
}

function chromeFrame(text: string): TextFrame | undefined {
  const call = text.replace(/^async /, '')
  const open = call.endsWith(')') ? call.lastIndexOf(' (') : -1
  if (open < 0) return placed('', call)
  const name = withoutAlias(call.slice(0, open))
  return placed(name, call.slice(open + 2, -1)) ?? { function: name }
}

/** `Cart.add [as addItem]` becomes `Cart.add`. */
function withoutAlias(name: string): string {
  if (!name.endsWith(']')) return name
  const start = name.indexOf(' [as ', name.lastIndexOf(']', name.length - 2) + 1)
  return start < 0 ? name : name.slice(0, start)
}

function firefoxFrame(text: string): TextFrame | undefined {
  const at = text.indexOf('@')
  return at < 0 ? undefined : placed(text.slice(0, at), text.slice(at + 1))
}

function placed(name: string, place: string): TextFrame | undefined {
  const match = /^(.+?):(\d{1,9})(?::(\d{1,9}))?$/.exec(place)
  if (match === null) return undefined
  return {
    ...(name === '' ? {} : { function: name }),
    filename: match[1]!.replace(/^file:\/\//, ''),
    lineno: Number(match[2]),
    ...(match[3] === undefined ? {} : { colno: Number(match[3]) }),
  }
}
