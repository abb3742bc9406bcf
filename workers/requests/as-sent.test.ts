import { expect, test } from 'vitest'
import { asSent } from './as-sent.ts'

test.each([
  '',
  '{',
  '[]',
  'null',
  '{"exception":"orig_in_app"}',
  '{"a":{"orig_in_app":',
  '{"exception":{"values":7},"x":"orig_in_app","orig_in_app":1}',
  '{"exception":{"values":[null,{"stacktrace":{"frames":[null,3,{"orig_in_app":true}]}}]}}',
  `{"threads":{"values":${'['.repeat(2000)}${']'.repeat(2000)}},"orig_in_app":1}`,
])('any text is taken: %s', (text) => {
  expect(asSent(Buffer.from(text))).toBeInstanceOf(Uint8Array)
})

test('a payload without decisions of rules is not read', () => {
  const payload = Buffer.from('{"exception":{}}')
  expect(asSent(payload)).toBe(payload)
})
