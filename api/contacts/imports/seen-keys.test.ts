import { expect, test } from 'vitest'
import { SeenKeys } from './seen-keys.ts'

test('an address is seen after it was added, and no other one', () => {
  const seen = new SeenKeys()
  seen.add('ada@example.com')
  expect(seen.has('ada@example.com')).toBe(true)
  expect(seen.has('bob@example.com')).toBe(false)
})
