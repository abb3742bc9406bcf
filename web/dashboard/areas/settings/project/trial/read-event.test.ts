import { expect, test } from 'vitest'
import { readEvent } from './read-event.ts'

const whole = ' {\n "message": "a"\n} '
test.each([
  ['{"message":"a"}', '{"message":"a"}'],
  [whole, whole],
  ['{"event_id":"1"}\n{"type":"event"}\n{"message": "a"}\n', '{"message": "a"}'],
  [
    '{}\n{"type":"session"}\n{"sid":"1"}\n{"type":"event","length":15}\n{"message":"b"}',
    '{"message":"b"}',
  ],
])('%j has an event', (text, event) => {
  expect(readEvent(text)).toEqual({ kind: 'event', text: event })
})

test.each(['', 'null', '[]', '"text"', '{', '{}\n{"type":"event"}', '{}\n{"type":"session"}\n{}'])(
  '%j has none',
  (text) => {
    expect(readEvent(text)).toMatchObject({ kind: 'error' })
  },
)
