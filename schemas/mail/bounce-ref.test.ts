import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findEmailRef, formatBounceSender, formatEmailRef, parseEmailRef } from './bounce-ref.ts'

const sendId = '019ab2c4-7f00-7c3e-9d41-5b0f5f7a9e10'
const send = { kind: 'send', sendId } as const

test('a formatted reference is parsed back, in upper and lower case', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (campaignId, contactId) => {
      const delivery = { kind: 'delivery', campaignId, contactId } as const
      expect(parseEmailRef(formatEmailRef(delivery))).toEqual(delivery)
      expect(parseEmailRef(formatEmailRef(delivery).toUpperCase())).toEqual(delivery)
      const single = { kind: 'send', sendId: campaignId } as const
      expect(parseEmailRef(formatEmailRef(single))).toEqual(single)
    }),
    { seed: 20_261_121 },
  )
})

test('an envelope sender fits into a local part of 64 characters', () => {
  const campaignId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  const longest = formatBounceSender({ kind: 'delivery', campaignId, contactId: campaignId })
  expect(longest.length).toBeLessThanOrEqual(64)
})

test('a reference is found in an envelope sender and in a Message-ID', () => {
  const ref = formatEmailRef(send)
  expect(findEmailRef(`<${ref}@example.test>`)).toEqual(send)
  expect(findEmailRef(`B+${ref}@bounces.example.test`)).toEqual(send)
  expect(findEmailRef(` ${ref}`)).toEqual(send)
})

test.each(['', 's', 'x'.repeat(27), `s${'1'.repeat(26)}`, '<0102018c@eu-west-1.example>', 'b+'])(
  '%j is not a reference',
  (text) => {
    expect(findEmailRef(text)).toBeUndefined()
  },
)
