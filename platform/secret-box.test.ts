import { describe, expect, test } from 'vitest'
import { macBytes, SecretBox } from './secret-box.ts'

const box = new SecretBox('a'.repeat(32))
const other = new SecretBox('b'.repeat(32))

test('a mac is valid only for its purpose, message and secret', () => {
  const mac = box.mac('unsubscribe', 'contact')
  expect(mac).toHaveLength(macBytes)
  expect(box.isMac('unsubscribe', 'contact', mac)).toBe(true)
  expect(new SecretBox('a'.repeat(32)).isMac('unsubscribe', 'contact', mac)).toBe(true)
  expect(box.isMac('open', 'contact', mac)).toBe(false)
  expect(box.isMac('unsubscribe', 'contacts', mac)).toBe(false)
  expect(other.isMac('unsubscribe', 'contact', mac)).toBe(false)
  expect(box.isMac('unsubscribe', 'contact', mac.subarray(0, 15))).toBe(false)
})

test('a sealed value opens only for its place, purpose and secret', () => {
  const sealed = box.seal('enduser secret', 'row 1', 'grüße')
  expect(box.open('enduser secret', 'row 1', sealed)).toBe('grüße')
  expect(() => box.open('enduser secret', 'row 2', sealed)).toThrow()
  expect(() => box.open('dkim', 'row 1', sealed)).toThrow()
  expect(() => other.open('enduser secret', 'row 1', sealed)).toThrow()
  sealed[sealed.length - 1]! ^= 1
  expect(() => box.open('enduser secret', 'row 1', sealed)).toThrow()
})

test('sealing the same text twice gives different bytes', () => {
  expect(box.seal('dkim', 'row', 'x')).not.toEqual(box.seal('dkim', 'row', 'x'))
})

describe('while the secret is rotated', () => {
  const before = new SecretBox('a'.repeat(32))
  const during = new SecretBox('b'.repeat(32), 'a'.repeat(32))
  const after = new SecretBox('b'.repeat(32))

  test('signatures of the previous secret are accepted, and new ones use the current secret', () => {
    expect(during.isMac('unsubscribe', 'contact', before.mac('unsubscribe', 'contact'))).toBe(true)
    expect(during.mac('unsubscribe', 'contact')).toEqual(after.mac('unsubscribe', 'contact'))
    expect(after.isMac('unsubscribe', 'contact', before.mac('unsubscribe', 'contact'))).toBe(false)
    const third = new SecretBox('c'.repeat(32))
    expect(during.isMac('unsubscribe', 'contact', third.mac('unsubscribe', 'contact'))).toBe(false)
    expect(during.isMac('unsubscribe', 'contacts', before.mac('unsubscribe', 'contact'))).toBe(
      false,
    )
  })

  test('values sealed with the previous secret are opened, and new ones use the current secret', () => {
    expect(during.open('dkim', 'row', before.seal('dkim', 'row', 'key'))).toBe('key')
    expect(after.open('dkim', 'row', during.seal('dkim', 'row', 'key'))).toBe('key')
    expect(() => before.open('dkim', 'row', during.seal('dkim', 'row', 'key'))).toThrow()
    expect(() => during.open('dkim', 'other', before.seal('dkim', 'row', 'key'))).toThrow()
  })

  test('re-sealing reports whether a value was re-sealed, was current, or cannot be opened', () => {
    const resealed = during.reseal('dkim', 'row', before.seal('dkim', 'row', 'key'))
    if (resealed.kind !== 'resealed') throw new Error(resealed.kind)
    expect(after.open('dkim', 'row', resealed.sealed)).toBe('key')
    expect(during.reseal('dkim', 'row', resealed.sealed)).toEqual({ kind: 'current' })
    const broken = before.seal('dkim', 'other row', 'key')
    expect(during.reseal('dkim', 'row', broken)).toEqual({ kind: 'unreadable' })
    expect(during.reseal('dkim', 'row', Buffer.alloc(3))).toEqual({ kind: 'unreadable' })
    expect(after.reseal('dkim', 'row', before.seal('dkim', 'row', 'x'))).toEqual({
      kind: 'unreadable',
    })
  })
})
