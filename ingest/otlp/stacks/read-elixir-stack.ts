import type { StackReader, TextFrame } from './stack-text.ts'

const frameLine = /^\s*(?:\([^()]{1,80}\) )?([^\s:()]+):(\d{1,9}): (\S.*)$/

/** `(app 1.0) lib/file.ex:12: Module.name/2`, innermost call first. */
export const readElixirStack: StackReader = (lines) => {
  const frames: TextFrame[] = []
  for (const line of lines) {
    const match = frameLine.exec(line)
    if (match === null) continue
    frames.push({ filename: match[1]!, lineno: Number(match[2]), function: match[3]! })
  }
  return frames.length === 0 ? [] : [{ type: '', value: '', frames: frames.reverse() }]
}
