import { describe, expect, test } from 'vitest'
import { buildEvent, type EventInShort } from '../../test/fixtures/grouping/build-event.ts'
import { groupEvent } from './group-v1.ts'

// cspell:ignore Turbopack

const frames = (name: string) => [
  { function: name, filename: 'app.js', absPath: 'https://a.example/app.js', inApp: true },
]
const error = (type: string, value: string, rest: EventInShort = {}): EventInShort => ({
  platform: 'javascript',
  exceptions: [{ type, value, frames: frames(value.slice(0, 3)) }],
  ...rest,
})
const pieces = (event: EventInShort) => groupEvent(buildEvent(event)).explain().variants[0]?.pieces
const path = (event: EventInShort) => groupEvent(buildEvent(event)).path

describe('errors of loading a part of the program', () => {
  // The forms of webpack 4 and 5, of Vite in three browsers, and of Turbopack.
  const forms: readonly (readonly [type: string, value: string])[] = [
    ['ChunkLoadError', 'Loading chunk 7 failed.\n(error: https://a.example/7.4f3c2a1b.chunk.js)'],
    ['ChunkLoadError', 'Loading chunk vendors~cart failed.\n(missing: https://a.example/v.js)'],
    ['ChunkLoadError', 'Loading CSS chunk 12 failed.\n(https://a.example/12.css)'],
    ['Error', 'Loading chunk 12 failed.'],
    ['ChunkLoadError', 'Failed to load chunk /_next/static/chunks/4f3c.js from module 12'],
    ['TypeError', 'Failed to fetch dynamically imported module: https://a.example/a-B4xYz9Qw.js'],
    ['TypeError', 'error loading dynamically imported module: https://a.example/a-B4xYz9Qw.js'],
    ['TypeError', 'Importing a module script failed.'],
    ['Error', 'Unable to preload CSS for /assets/Cart-B4xYz9Qw.css'],
  ]
  test.each(forms)('%s: %s', (type, value) => {
    expect(path(error(type, value))).toBe('built-in')
    expect(pieces(error(type, value))).toEqual([['built-in', 'chunk-load-error']])
  })

  const others: readonly (readonly [type: string, value: string])[] = [
    ['TypeError', 'Failed to fetch'],
    ['Error', 'the chunk of the file is empty'],
    ['Error', 'Loading the cart failed'],
  ]
  test.each(others)('not %s: %s', (type, value) => {
    expect(path(error(type, value))).toBe('exception-stack')
  })
})

describe('errors of hydration', () => {
  // The texts of React 18 and 19 in development, and their codes in production.
  const forms: readonly (readonly [value: string, kind: string])[] = [
    ['Minified React error #418; visit https://react.dev/errors/418?args[]= for more', 'react-418'],
    ['Minified React error #423; visit https://reactjs.org/docs/error-decoder.html', 'react-423'],
    ['Minified React error #425; visit https://react.dev/errors/425', 'react-418'],
    ['Hydration failed because the initial UI does not match what was rendered', 'react-418'],
    ["Hydration failed because the server rendered HTML didn't match the client.", 'react-418'],
    ['There was an error while hydrating. Because the error happened outside', 'react-423'],
    ['Text content does not match server-rendered HTML.', 'react-418'],
    ['Hydration completed but contains mismatches.', 'vue'],
    ['NG0500: During hydration Angular expected <div> but found <p>.', 'angular-500'],
    ['https://svelte.dev/e/hydration_mismatch', 'svelte'],
  ]
  test.each(forms)('%s is %s', (value, kind) => {
    expect(pieces(error('Error', value))).toEqual([
      ['built-in', 'hydration-error'],
      ['built-in', kind],
    ])
  })

  test('another page is another issue', () => {
    const [value] = forms[0]!
    const hashes = ['/cart', '/list'].map(
      (transaction) =>
        groupEvent(buildEvent(error('Error', value, { transaction }))).hashes[0].hash,
    )
    expect(new Set(hashes).size).toBe(2)
  })

  test('another error of React is no such error', () => {
    expect(path(error('Error', 'Minified React error #31; visit https://x'))).toBe(
      'exception-stack',
    )
  })
})

test('the explanation names the built-in rule', () => {
  const chunk = groupEvent(buildEvent(error('ChunkLoadError', 'Loading chunk 1 failed.'))).explain()
  expect(chunk.summary).toMatch(/^Grouped by a built-in rule for parts of the program/)
  const page = error('Error', 'Minified React error #418;', { transaction: '/cart' })
  expect(groupEvent(buildEvent(page)).explain().summary).toContain(
    'the kind of mismatch and the page',
  )
})

test('a fingerprint of the client comes first, and is added to a hybrid one', () => {
  const own = error('ChunkLoadError', 'x', { fingerprint: ['mine'] })
  expect(path(own)).toBe('fingerprint')
  const hybrid = error('ChunkLoadError', 'x', { fingerprint: ['{{ default }}', 'mine'] })
  expect(pieces(hybrid)).toEqual([
    ['fingerprint', 'mine'],
    ['built-in', 'chunk-load-error'],
  ])
})

test('other platforms have no such errors', () => {
  expect(path({ ...error('ChunkLoadError', 'x'), platform: 'python' })).toBe('exception-stack')
})
