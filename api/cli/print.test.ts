import { expect, test } from 'vitest'
import { asJson, asText } from './print.ts'

const hostile = 'a\u001b]0;title\u0007\u001b[2J\u009b31m\r\u202eb'

test.each([
  [{ name: hostile }],
  [[{ name: hostile }]],
  [{ list: [hostile], nested: { name: hostile } }],
])('what others wrote cannot control the terminal', (value) => {
  const text = asText(value)
  expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
  expect(text).toContain('a?]0;title??[2J?31m??b')
  expect(JSON.parse(asJson(value))).toEqual(value)
})

test('lines and signs of all languages stay', () => {
  expect(asText({ text: 'ünï\n\u{1f9e8}' })).toBe('text  ünï\n\u{1f9e8}\n')
})
