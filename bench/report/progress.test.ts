import { describe, expect, test } from 'vitest'
import { createProgress } from './progress.ts'

function recorder(isTTY: boolean) {
  const written: string[] = []
  return { isTTY, written, write: (text: string) => written.push(text) }
}

describe('progress', () => {
  test('on a terminal, one line is overwritten, and it is cleared before other text', () => {
    const output = recorder(true)
    const progress = createProgress(output)
    progress.update('ingest', 0.5, '12 %')
    progress.line('done')
    expect(output.written[0]).toContain('████████████░░░░░░░░░░░░')
    expect(output.written.slice(1)).toEqual(['\r\u001b[2K', 'done\n'])
  })

  test('in a file, each step is one plain line', () => {
    const output = recorder(false)
    const progress = createProgress(output)
    for (const share of [0, 0.2, 0.9]) progress.update('ingest', share)
    progress.update('bare', 0)
    progress.end()
    expect(output.written).toEqual(['ingest …\n', 'bare …\n'])
  })
})
