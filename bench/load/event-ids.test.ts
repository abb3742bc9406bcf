import { describe, expect, test } from 'vitest'
import { counterMax, counterOf, eventIdOf } from './event-ids.ts'

const runId = '00112233445566ff'

describe('event ids', () => {
  test('every id is converted back to its counter', () => {
    for (const counter of [0, 1, 2, 49, 65_535, 65_536, 1_000_003, 2 ** 31, counterMax]) {
      expect(counterOf(runId, eventIdOf(runId, counter))).toBe(counter)
    }
  })

  test('ids of one run are unique', () => {
    const ids = new Set<string>()
    for (let counter = 0; counter < 100_000; counter += 1) ids.add(eventIdOf(runId, counter))
    expect(ids.size).toBe(100_000)
  })

  test('an id is 32 lowercase hex digits and never the nil id', () => {
    expect(eventIdOf(runId, 7)).toMatch(/^[0-9a-f]{32}$/)
    expect(eventIdOf('0000000000000000', 0)).not.toBe('0'.repeat(32))
  })

  test('an id of another run and a damaged id have no counter', () => {
    const id = eventIdOf(runId, 12)
    expect(counterOf('ff112233445566ff', id)).toBeUndefined()
    expect(counterOf(runId, `${id.slice(0, 31)}${id.endsWith('0') ? '1' : '0'}`)).toBeUndefined()
    expect(counterOf(runId, id.slice(1))).toBeUndefined()
  })
})
