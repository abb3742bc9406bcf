import { expect, test } from 'vitest'
import { lineCharsMax, splitLines } from './split-lines.ts'

test('lines are complete, wherever the chunks are split, also within a character', () => {
  const bytes = Buffer.from('one\r\nzwölf 🦆\n\nlast')
  for (let cut = 0; cut <= bytes.length; cut++) {
    const lines: string[] = []
    const splitter = splitLines((line) => lines.push(line))
    splitter.push(bytes.subarray(0, cut))
    splitter.push(bytes.subarray(cut))
    splitter.end()
    expect(lines).toEqual(['one', 'zwölf 🦆', 'last'])
  }
})

test('a line that never ends is cut at the maximum length', () => {
  const lines: string[] = []
  const splitter = splitLines((line) => lines.push(line))
  for (let chunk = 0; chunk < 20; chunk++) splitter.push(Buffer.alloc(lineCharsMax / 4, 'x'))
  splitter.end()
  expect(lines).toEqual(['x'.repeat(lineCharsMax)])
})
