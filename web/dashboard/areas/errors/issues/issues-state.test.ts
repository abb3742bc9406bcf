import { expect, test } from 'vitest'
import { readState, writeState } from './issues-state.ts'

test.each([
  ['', 'is:unresolved'],
  ['query=', ''],
  ['query=level:error+%22a+b%22', 'level:error "a b"'],
])('the address %j searches for %j', (search, query) => {
  const state = readState(search)
  expect(state.query).toBe(query)
  expect(readState(writeState(state))).toEqual(state)
})

test('only what differs from the default is written, and nonsense is the default', () => {
  expect(
    writeState(readState('sort=nonsense&group=1&period=2y&columns=trend,<script>,users')),
  ).toBe(String(new URLSearchParams({ columns: 'trend,users' })))
  expect(writeState(readState('sort=count&period=all&group=level'))).toBe(
    'period=all&sort=count&group=level',
  )
})
