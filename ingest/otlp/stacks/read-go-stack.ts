import type { StackReader, TextFrame } from './stack-text.ts'

const placeLine = /^\s+(\S.*\.go):(\d{1,9})(?: \+0x[0-9a-f]+)?$/

/**
 * Two lines for each call, innermost first: the function with its arguments, then its indented
 * location.
 */
export const readGoStack: StackReader = (lines) => {
  const frames: TextFrame[] = []
  for (let index = 1; index < lines.length; index += 1) {
    const place = placeLine.exec(lines[index]!)
    if (place === null) continue
    const call = lines[index - 1]!
    // The place where the goroutine was created is not an active call.
    if (call.startsWith('created by ')) break
    frames.push({ ...nameOf(call.trim()), filename: place[1]!, lineno: Number(place[2]) })
  }
  return frames.length === 0 ? [] : [{ type: '', value: '', frames: frames.reverse() }]
}

/**
 * `example.com/shop/cart.(*Cart).Add(0xc0…)`: the package ends at the first dot after the last
 * slash.
 */
function nameOf(call: string): TextFrame {
  const name = call.replace(/\([^()]*\)$/, '')
  const dot = name.indexOf('.', name.lastIndexOf('/') + 1)
  if (dot <= 0) return { function: name }
  return { module: name.slice(0, dot), function: name.slice(dot + 1) }
}
