import { describe, expect, test } from 'vitest'
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

  test('what the previous secret signed is accepted, and what is new is signed with the current one', () => {
    expect(during.isMac('unsubscribe', 'contact', before.mac('unsubscribe', 'contact'))).toBe(true)
    expect(during.mac('unsubscribe', 'contact')).toEqual(after.mac('unsubscribe', 'contact'))
    expect(after.isMac('unsubscribe', 'contact', before.mac('unsubscribe', 'contact'))).toBe(false)
    const third = new SecretBox('c'.repeat(32))
    expect(during.isMac('unsubscribe', 'contact', third.mac('unsubscribe', 'contact'))).toBe(false)
    expect(during.isMac('unsubscribe', 'contacts', before.mac('unsubscribe', 'contact'))).toBe(
      false,
    )
  })

  test('what the previous secret sealed is opened, and what is new is sealed with the current one', () => {
    expect(during.open('dkim', 'row', before.seal('dkim', 'row', 'key'))).toBe('key')
    expect(after.open('dkim', 'row', during.seal('dkim', 'row', 'key'))).toBe('key')
    expect(() => before.open('dkim', 'row', during.seal('dkim', 'row', 'key'))).toThrow()
    expect(() => during.open('dkim', 'other', before.seal('dkim', 'row', 'key'))).toThrow()
  })

  test('re-sealing is told apart from what needs none and from what nobody can open', () => {
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
