import type { StackReader, TextFrame } from './stack-text.ts'

const callLine = /^\s*\d+:\s+(?:0x[0-9a-f]+ - )?(\S.*)$/
const placeLine = /^\s+at (.+?):(\d{1,9})(?::(\d{1,9}))?$/

/** `12: crate::name`, innermost call first, with the location on its own line if it is known. */
export const readRustStack: StackReader = (lines) => {
  const frames: TextFrame[] = []
  for (const line of lines) {
    const place = placeLine.exec(line)
    const call = place === null ? callLine.exec(line) : null
    const last = frames.at(-1)
    if (call !== null) frames.push({ function: call[1]!.replace(/::h[0-9a-f]{16}$/, '') })
    else if (place !== null && last !== undefined) {
      frames[frames.length - 1] = {
        ...last,
        filename: place[1]!,
        lineno: Number(place[2]),
        ...(place[3] === undefined ? {} : { colno: Number(place[3]) }),
      }
    }
  }
  return frames.length === 0 ? [] : [{ type: '', value: '', frames: frames.reverse() }]
}
