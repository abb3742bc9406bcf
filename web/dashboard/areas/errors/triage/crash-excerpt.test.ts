import { expect, test } from 'vitest'
import { crashExcerpt } from './crash-excerpt.ts'

test('the frame of the crash comes first, and library frames are counted', () => {
  const frames = [
    { function: 'listen', filename: 'node:net', in_app: false },
    { function: 'handle', filename: 'app.js', lineno: 3, in_app: true, context_line: '  go()' },
    { function: 'go', filename: 'go.js', lineno: 9, in_app: true },
  ]
  const payload = { exception: { values: [{}, { type: 'E', value: 'v', stacktrace: { frames } }] } }
  expect(crashExcerpt(payload)).toMatchObject({
    type: 'E',
    frames: [
      { name: 'go', place: 'go.js:9' },
      { name: 'handle', line: 'go()' },
    ],
    hiddenCount: 1,
  })
})

test.each([
  [null],
  ['text'],
  [{}],
  [{ exception: null }],
  [{ exception: { values: 'many' } }],
  [{ exception: { values: [null] } }],
])('%j has no excerpt', (payload) => {
  expect(crashExcerpt(payload)).toBeUndefined()
})

test('values of wrong types are left out', () => {
  const stacktrace = { frames: [null, { function: 7, filename: {}, lineno: 'x' }] }
  const payload = { exception: { values: [{ type: 3, value: ['x'], stacktrace }] } }
  expect(crashExcerpt(payload)).toMatchObject({
    type: 'Error',
    value: '',
    frames: [{ name: 'unknown function', place: '' }, {}],
  })
})
