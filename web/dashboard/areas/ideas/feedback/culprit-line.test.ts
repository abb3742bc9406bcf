import { expect, test } from 'vitest'
import { culpritLine } from './culprit-line.ts'

const frame = (filename: string, more: object = {}) => ({ filename, ...more })
const payload = (frames: readonly unknown[]) => ({
  exception: { values: [{ type: 'Cause' }, { type: 'E', stacktrace: { frames } }] },
})

test('is the last frame of the own code', () => {
  const frames = [
    frame('src/a.ts', { in_app: true }),
    frame('src/b.ts', { in_app: true, lineno: 42, function: 'pay', context_line: '  pay(x)  ' }),
    frame('node_modules/c.js', { in_app: false }),
  ]
  expect(culpritLine({ payload: payload(frames) })).toEqual({
    place: 'src/b.ts:42 in pay',
    text: 'pay(x)',
  })
})

test('is the last frame where no code is known to be own', () => {
  const frames = [frame('a.py'), frame('b.py', { lineno: 7 })]
  expect(culpritLine({ payload: payload(frames) })).toEqual({ place: 'b.py:7', text: undefined })
})

test.each([
  undefined,
  null,
  'text',
  {},
  { exception: [] },
  { exception: { values: 'x' } },
  payload([]),
  payload([null]),
  payload([{ filename: 3, lineno: 'x' }]),
])('a payload of another shape has none: %j', (other) => {
  expect(culpritLine({ payload: other })).toBeUndefined()
})

test('long values are cut', () => {
  const frames = [frame('f'.repeat(9_000), { context_line: 'c'.repeat(9_000) })]
  const line = culpritLine({ payload: payload(frames) })
  expect([line?.place.length, line?.text?.length]).toEqual([200, 200])
})
