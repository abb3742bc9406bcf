import { describe, expect, test } from 'vitest'
import { type FrameMode, groupFrames, isOwn, openAtFirst } from './group-frames.ts'
import { sampleFrame } from './sample-frame.ts'

/** `a` is of the application, `-` of a library, `?` unmarked. Each frame has a line of its own. */
function framesOf(text: string) {
  const marks: Readonly<Record<string, boolean>> = { a: true, '-': false }
  return [...text].map((mark, line) => sampleFrame({ inApp: marks[mark], line: line + 1 }))
}

function rowsOf(text: string, mode: FrameMode = 'app') {
  return groupFrames(framesOf(text), mode)
    .map((row) => (row.kind === 'library' ? `${row.frames.length}` : row.kind.charAt(0)))
    .join(' ')
}

describe('the rows of a stack', () => {
  // biome-ignore format: one case a line
  test.each([
    // frames        mode    rows: f a frame, a number a run of library frames
    ['',             'app',  ''],
    ['a',            'app',  'f'],
    ['a----a',       'app',  'f 4 f'],
    ['----a',        'app',  'f 3 f'],   // the frame of the crash is shown
    ['a-a',          'app',  'f f f'],   // a run of one saves nothing
    ['----',         'app',  'f 3'],
    ['????',         'app',  'f f f f'], // nothing is marked: all are of the application
    ['a???a',        'app',  'f 3 f'],   // something is marked: the others are not
    ['-??-',         'app',  'f f f f'],
    ['a----a',       'all',  'f f f f f f'],
  ] as const)('%s, %s: %s', (text, mode, rows) => {
    expect(rowsOf(text, mode)).toBe(rows)
  })

  test('every frame is in exactly one row, in order', () => {
    const frames = framesOf('-a--a---?aa--')
    const rows = groupFrames(frames, 'app')
    const indexes = rows.flatMap((row) =>
      row.kind === 'library' ? row.frames.map(({ index }) => index) : [row.index],
    )
    expect(indexes).toEqual(frames.map((_, index) => index))
  })

  test('a recursion of 10,000 calls is two rows', () => {
    const frames = Array.from({ length: 10_000 }, () => sampleFrame({ inApp: true, line: 7 }))
    expect(groupFrames(frames, 'app')).toEqual([
      { kind: 'frame', frame: frames[0], index: 0 },
      { kind: 'repeated', count: 9_999, index: 1 },
    ])
  })

  test('one repetition is shown as it is', () => {
    const frame = sampleFrame({ inApp: true })
    expect(groupFrames([frame, frame], 'app').map(({ kind }) => kind)).toEqual(['frame', 'frame'])
  })
})

test('the nearest frames of the application with source are open', () => {
  const source = [{ number: 1, text: 'x', isCurrent: true }]
  const frames = framesOf('-aa-aa').map((frame, index) =>
    index === 1 ? frame : { ...frame, source },
  )
  expect([...openAtFirst(frames, 2)]).toEqual([2, 4])
  expect(frames.map((frame) => isOwn(frame, frames))).toEqual([
    false,
    true,
    true,
    false,
    true,
    true,
  ])
})
