import type { StackReader, TextFrame } from './stack-text.ts'

const frameLine = /^\s*(?:from )?([^\s:][^:]*):(\d{1,9})(?::in [`']([^']*)')?(?::.*)?$/

/** `file:12:in 'name'`, innermost call first. The first line may continue with message and type. */
export const readRubyStack: StackReader = (lines) => {
  const frames: TextFrame[] = []
  for (const line of lines) {
    const match = frameLine.exec(line)
    if (match === null) continue
    frames.push({
      filename: match[1]!,
      lineno: Number(match[2]),
      ...(match[3] === undefined ? {} : { function: match[3] }),
    })
  }
  return frames.length === 0 ? [] : [{ type: '', value: '', frames: frames.reverse() }]
}
