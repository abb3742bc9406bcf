import { expect, test } from 'vitest'
import { framesPerStackMax } from '#schemas/limits.ts'
import { Notes } from '../values/notes.ts'
import { readStack, rootFramesKept } from './normalize-frames.ts'

const stack = (value: unknown, platform = 'python') =>
  readStack(value, { platform, notes: new Notes() })
const frame = (value: unknown, platform?: string) => stack({ frames: [value] }, platform)?.frames[0]

// biome-ignore format: the columns are the point
test.each([
  ['? is no function                   ', { function: '?' }, { function: undefined }],
  ['<unknown> is no function           ', { function: '<unknown>' }, { function: undefined }],
  ['<redacted> is no function          ', { function: '<redacted>' }, { function: undefined }],
  ['null is no function                ', { function: null }, { function: undefined }],
  ['line numbers as text               ', { lineno: '12', colno: '3' }, { lineno: 12, colno: 3 }],
  ['line numbers that are none         ', { lineno: -1, colno: 1.5 }, { lineno: undefined, colno: undefined }],
  ['one path only                      ', { filename: 'a/b.py' }, { filename: 'a/b.py', abs_path: 'a/b.py' }],
  ['the full path only                 ', { abs_path: '/srv/a/b.py' }, { filename: '/srv/a/b.py', abs_path: '/srv/a/b.py' }],
  ['both paths                         ', { filename: 'b.py', abs_path: '/srv/b.py' }, { filename: 'b.py', abs_path: '/srv/b.py' }],
  ['a URL as full path                 ', { abs_path: 'https://x.test/js/a.js?v=1#f' }, { filename: '/js/a.js', abs_path: 'https://x.test/js/a.js?v=1#f' }],
  ['a URL as short path                ', { filename: 'app:///main.bundle' }, { filename: '/main.bundle', abs_path: 'app:///main.bundle' }],
  ['a URL without path                 ', { filename: 'https://x.test' }, { filename: 'https://x.test', abs_path: 'https://x.test' }],
  ['a name with a colon is no URL      ', { filename: 'node:internal/main' }, { filename: 'node:internal/main', abs_path: 'node:internal/main' }],
  ['in_app that is not said            ', { in_app: null }, { in_app: undefined }],
  ['in_app as text is not said         ', { in_app: 'true' }, { in_app: undefined }],
  ['in_app false                       ', { in_app: false }, { in_app: false }],
  ['the platform of the event          ', { platform: 'python' }, { platform: undefined }],
  ['another platform                   ', { platform: 'Native' }, { platform: 'native' }],
  ['a decimal address                  ', { instruction_addr: '255' }, { instruction_addr: '0xff' }],
  ['an address as number               ', { instruction_addr: 255 }, { instruction_addr: '0xff' }],
  ['leading zeros of an address        ', { instruction_addr: '0x00FF' }, { instruction_addr: '0xff' }],
  ['no address                         ', { instruction_addr: 'ff' }, { instruction_addr: undefined }],
  ['source keeps its indentation       ', { context_line: '  x = 1  \n' }, { context_line: '  x = 1' }],
] as const)('%s', (_name, sent, want) => {
  expect(frame(sent)).toMatchObject(want)
})

test('nulls between frames are skipped, and a stack without frames is absent', () => {
  expect(stack({ frames: [null, { function: 'f' }, null] })?.frames).toHaveLength(1)
  for (const empty of [null, {}, { frames: null }, { frames: [] }, { frames: [null] }, 'x']) {
    expect(stack(empty)).toBeUndefined()
  }
})

test('a deep recursion keeps its crash end and a few frames at the root, and notes the cut', () => {
  const sent = Array.from({ length: 5000 }, (_, index) => ({ function: `f${index}` }))
  const read = stack({ frames: sent })
  const names = read?.frames.map((one) => one.function) ?? []
  expect(names).toHaveLength(framesPerStackMax)
  expect(names.slice(0, rootFramesKept + 1)).toEqual([...names.slice(0, rootFramesKept), 'f4760'])
  expect(names[rootFramesKept - 1]).toBe(`f${rootFramesKept - 1}`)
  expect(names.at(-1)).toBe('f4999')
  expect(read?.frames_omitted).toEqual([rootFramesKept, 4760])
})

test('the maximum number of frames is not cut', () => {
  const sent = Array.from({ length: framesPerStackMax }, () => ({ function: 'f' }))
  expect(stack({ frames: sent })?.frames_omitted).toBeUndefined()
})
