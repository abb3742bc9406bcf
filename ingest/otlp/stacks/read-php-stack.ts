import type { StackReader, TextFrame } from './stack-text.ts'

const callLine = /^#\d+ (?:(.+?)\((\d{1,9})\): |\[internal function\]: )?(.*)$/
const throwLine = / in (\/?[^\s:]+):(\d{1,9})$/

/**
 * `#0 file(12): name(arguments)`, innermost call first. The place is where the call was made, which lies in the function of
 * the next line; the place of the throw stands in the head, if anywhere.
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
    const name = call[3]!.replace(/\(.*$/s, '')
    frames.push({ ...place, ...(name === '{main}' || name === '' ? {} : { function: name }) })
    place = call[1] === undefined ? {} : { filename: call[1], lineno: Number(call[2]) }
  }
  const read = frames.filter((frame) => Object.keys(frame).length > 0)
  return read.length === 0 ? [] : [{ type: '', value: '', frames: read.reverse() }]
}
