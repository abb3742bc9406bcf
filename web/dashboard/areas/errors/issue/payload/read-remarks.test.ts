import { expect, test } from 'vitest'
import { readEvent } from './read-event.ts'
import { lengthSentAt, readRemarks } from './read-remarks.ts'

/** As sentry-python 1.45 sends it. */
const meta = {
  exception: {
    values: {
      '0': {
        value: { '': { len: 9_000, rem: [['!limit', 'x', 1_021, 1_024]] } },
        stacktrace: {
          frames: {
            '0': {
              vars: {
                many: { '': { len: 50 } },
                card: { '': { rem: [['@creditcard:filter', 's', 0, 10]] } },
              },
            },
          },
        },
      },
    },
  },
  tags: { '': { err: ['invalid_data'] } },
}

test('remarks are listed by path', () => {
  const vars = 'exception.values.0.stacktrace.frames.0.vars'
  expect(readRemarks(meta)).toEqual([
    { path: 'exception.values.0.value', text: 'cut, length 9,000 before' },
    { path: `${vars}.many`, text: 'length 50 before' },
    { path: `${vars}.card`, text: 'removed by @creditcard:filter' },
    { path: 'tags', text: 'invalid_data' },
  ])
})

test('an exception says how long its text was', () => {
  const values = [{ type: 'E', value: 'short' }, { type: 'F' }]
  const { exceptions } = readEvent({ exception: { values }, _meta: meta })
  expect(exceptions.map(({ lengthSent }) => lengthSent)).toEqual([9_000, undefined])
})

test('remarks of any shape can be read, and are bounded', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(500)}{"":{"len":1}}${'}'.repeat(500)}`)
  const wide = Object.fromEntries(
    Array.from({ length: 999 }, (_, i) => [`k${i}`, { '': { len: i } }]),
  )
  for (const value of [
    null,
    0,
    'x',
    [],
    { '': 1 },
    { '': { rem: 'x', len: 'y', err: [[]] } },
    deep,
  ]) {
    expect(() => readRemarks(value)).not.toThrow()
    expect(lengthSentAt(value, ['a', 'b'])).toBeUndefined()
  }
  expect(readRemarks(deep)).toEqual([])
  expect(readRemarks(wide)).toHaveLength(200)
})
