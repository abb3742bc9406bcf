import { expect, test } from 'vitest'
import { macBytes, SecretBox } from './secret-box.ts'

const box = new SecretBox('a'.repeat(32))
const other = new SecretBox('b'.repeat(32))

test('a mac holds for its purpose, its message and its secret alone', () => {
  const mac = box.mac('unsubscribe', 'contact')
  expect(mac).toHaveLength(macBytes)
  expect(box.isMac('unsubscribe', 'contact', mac)).toBe(true)
  expect(new SecretBox('a'.repeat(32)).isMac('unsubscribe', 'contact', mac)).toBe(true)
  expect(box.isMac('open', 'contact', mac)).toBe(false)
  expect(box.isMac('unsubscribe', 'contacts', mac)).toBe(false)
  expect(other.isMac('unsubscribe', 'contact', mac)).toBe(false)
  expect(box.isMac('unsubscribe', 'contact', mac.subarray(0, 15))).toBe(false)
})

test('what was sealed opens only in its place, for its purpose, under its secret', () => {
  const sealed = box.seal('end-user secret', 'row 1', 'grüße')
  expect(box.open('end-user secret', 'row 1', sealed)).toBe('grüße')
  expect(() => box.open('end-user secret', 'row 2', sealed)).toThrow()
  expect(() => box.open('dkim', 'row 1', sealed)).toThrow()
  expect(() => other.open('end-user secret', 'row 1', sealed)).toThrow()
  sealed[sealed.length - 1]! ^= 1
  expect(() => box.open('end-user secret', 'row 1', sealed)).toThrow()
})

test('sealing the same text twice gives different bytes', () => {
  expect(box.seal('dkim', 'row', 'x')).not.toEqual(box.seal('dkim', 'row', 'x'))
})
