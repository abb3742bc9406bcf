import type { StackReader, TextFrame } from './stack-text.ts'

const callLine = /^#\d+ (.*)$/
const internalPlace = '[internal function]: '
const throwLine = / in (\/?[^\s:]+):(\d{1,9})$/

/**
 * `#0 file(12): name(arguments)`, innermost call first. The location is that of the call, which
 * lies in the function of the next line. The location of the throw is in the header, if anywhere.
 */
export const readPhpStack: StackReader = (lines) => {
  const frames: TextFrame[] = []
  let place: TextFrame = {}
  for (const line of lines) {
    const call = callLine.exec(line.trim())
    if (call === null) {
      const thrown = frames.length === 0 ? throwLine.exec(line) : null
      if (thrown !== null) place = { filename: thrown[1]!, lineno: Number(thrown[2]) }
      continue
    }
    const { name: called, ...from } = splitCall(call[1]!)
    const name = called.replace(/\(.*/s, '')
    frames.push({ ...place, ...(name === '{main}' || name === '' ? {} : { function: name }) })
    place = from
  }
  const read = frames.filter((frame) => Object.keys(frame).length > 0)
  return read.length === 0 ? [] : [{ type: '', value: '', frames: read.reverse() }]
}

/**
 * `file(12): name(arguments)`, where the file has at least one character. The first match counts.
 */
function splitCall(text: string): TextFrame & { name: string } {
  const placeEnd = /\((\d{1,9})\): /g
  placeEnd.lastIndex = 1
  const found = placeEnd.exec(text)
  if (found !== null) {
    const name = text.slice(placeEnd.lastIndex)
    return { filename: text.slice(0, found.index), lineno: Number(found[1]), name }
  }
  return { name: text.startsWith(internalPlace) ? text.slice(internalPlace.length) : text }
}
