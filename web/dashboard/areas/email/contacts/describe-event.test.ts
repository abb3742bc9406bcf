import { describe, expect, test } from 'vitest'
import { describeEvent } from './describe-event.ts'

describe('events of a contact in words', () => {
  test.each([
    ['created', 'Added'],
    ['unsubscribed', 'Unsubscribed'],
    ['something_new', 'Something new'],
    ['', ''],
  ])('%s', (kind, title) => {
    expect(describeEvent({ kind, via: 'api', details: {} }).title).toBe(title)
  })

  test('details are listed without empty ones', () => {
    const details = { status_before: 'pending', campaign: null, note: '', names: ['a', 'b'] }
    expect(describeEvent({ kind: 'changed', via: 'command_line', details })).toEqual({
      title: 'Name or attributes changed',
      via: 'command line',
      details: ['status before: pending', 'names: ["a","b"]'],
    })
  })
})
