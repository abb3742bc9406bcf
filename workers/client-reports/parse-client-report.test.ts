import { describe, expect, test } from 'vitest'
import { parseClientReport } from './parse-client-report.ts'

const parse = (text: string) => parseClientReport(Buffer.from(text))

describe('a client report', () => {
  test('states what was dropped, why and how often', () => {
    const text = JSON.stringify({
      timestamp: 1795215633.495,
      discarded_events: [
        { reason: 'ratelimit_backoff', category: 'error', quantity: 3 },
        { reason: 'sample_rate', category: 'transaction', quantity: 12 },
      ],
    })
    expect(parse(text)).toEqual({
      kind: 'report',
      discards: [
        { reason: 'ratelimit_backoff', category: 'error', quantity: 3 },
        { reason: 'sample_rate', category: 'transaction', quantity: 12 },
      ],
    })
  })

  test.each(['rate_limited_events', 'filtered_events', 'filtered_sampling_events'])(
    'of a relay has %s too',
    (list) => {
      const line = { reason: 'send_error', category: 'session', quantity: 1 }
      expect(parse(JSON.stringify({ [list]: [line] }))).toEqual({
        kind: 'report',
        discards: [line],
      })
    },
  )

  test.each([
    ['an unknown reason', { reason: 'my own word', category: 'error', quantity: 1 }, 'other'],
    [
      'a reason that is a property',
      { reason: '__proto__', category: 'error', quantity: 1 },
      'other',
    ],
  ])('folds %s', (_, line, reason) => {
    expect(parse(JSON.stringify({ discarded_events: [line] }))).toEqual({
      kind: 'report',
      discards: [{ ...line, reason }],
    })
  })

  test('replaces an unknown category by `unknown`', () => {
    const text = '{"discarded_events":[{"reason":"ignored","category":"gadget","quantity":2}]}'
    expect(parse(text)).toEqual({
      kind: 'report',
      discards: [{ reason: 'ignored', category: 'unknown', quantity: 2 }],
    })
  })

  test.each([
    ['no quantity', { reason: 'ignored', category: 'error' }],
    ['a quantity of 0', { reason: 'ignored', category: 'error', quantity: 0 }],
    ['a negative quantity', { reason: 'ignored', category: 'error', quantity: -5 }],
    ['a fraction', { reason: 'ignored', category: 'error', quantity: 0.5 }],
    ['a quantity in words', { reason: 'ignored', category: 'error', quantity: 'three' }],
    ['no reason', { category: 'error', quantity: 1 }],
    ['null', null],
  ])('leaves out a line with %s', (_, line) => {
    const good = { reason: 'ignored', category: 'error', quantity: 1 }
    expect(parse(JSON.stringify({ discarded_events: [line, good] }))).toEqual({
      kind: 'report',
      discards: [good],
    })
  })

  test('leaves out a line with an impossible quantity', () => {
    const line = { reason: 'ignored', category: 'error', quantity: 1e300 }
    expect(parse(JSON.stringify({ discarded_events: [line] }))).toMatchObject({
      discards: [{ quantity: 1_000_000_000 }],
    })
  })

  test('is read up to its hundredth line', () => {
    const line = { reason: 'ignored', category: 'error', quantity: 1 }
    const text = JSON.stringify({ discarded_events: Array.from({ length: 101 }, () => line) })
    expect(parse(text)).toMatchObject({ discards: { length: 100 } })
  })

  test.each(['', 'null', '[]', '"text"', '{"discarded_events":['])('is refused as %s', (text) => {
    expect(parse(text)).toEqual({ kind: 'rejected', reason: 'invalid_json' })
  })

  test.each(['{}', '{"discarded_events":null}', '{"discarded_events":{}}'])(
    'may say nothing: %s',
    (text) => {
      expect(parse(text)).toEqual({ kind: 'report', discards: [] })
    },
  )
})
