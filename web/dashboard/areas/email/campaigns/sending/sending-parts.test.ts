import { expect, test } from 'vitest'
import { sendingParts } from './sending-parts.ts'

const none = { audience: 0, waiting: 0, sent: 0, failed: 0, skipped: 0, uncertain: 0, cancelled: 0 }

test('an empty campaign has no shares', () => {
  expect(sendingParts(none).map(({ name, share }) => [name, share])).toEqual([
    ['sent', 0],
    ['failed', 0],
    ['waiting', 0],
  ])
})

test('the shares of all parts are one', () => {
  const parts = sendingParts({
    ...none,
    audience: 8,
    sent: 4,
    waiting: 2,
    skipped: 1,
    uncertain: 1,
  })
  expect(parts.map(({ name }) => name)).toEqual([
    'sent',
    'failed',
    'uncertain',
    'skipped',
    'waiting',
  ])
  expect(parts.reduce((sum, { share }) => sum + share, 0)).toBe(1)
})
