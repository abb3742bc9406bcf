import { describe, expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { dedupWindowMs } from '#schemas/limits.ts'
import { IdWindow, latenessSeconds, secondOf } from './id-window.ts'

const day = dedupWindowMs / 1000
const now = secondOf(Date.UTC(2026, 10, 20, 12))
const id = [1, 2, 3] as const

function windowWith(...seconds: readonly number[]): IdWindow {
  const window = new IdWindow()
  for (const second of seconds) window.enter(...id, second)
  return window
}

/** Adds different ids that are distributed like real ones. */
function fill(window: IdWindow, count: number, secondOfIndex: (index: number) => number): void {
  const { fingerprinter } = window
  for (let index = 0; index < count; index += 1) {
    fingerprinter.ofWords(1 as ProjectId, 0, 0, 0, index)
    window.enter(fingerprinter.a, fingerprinter.b, fingerprinter.c, secondOfIndex(index))
  }
}

describe('A window', () => {
  // biome-ignore format: the columns are the point
  test.each([
    ['the same second                   ', now,           true],
    ['the last second of the day after  ', now + day - 1, true],
    ['a day later                       ', now + day,     false],
    ['the first second of the day before', now - day + 1, true],
    ['a day earlier                     ', now - day,     false],
  ])('knows an id in %s', (_name, second, known) => {
    expect(windowWith(now).has(...id, second)).toBe(known)
  })

  test('does not confuse ids', () => {
    const window = windowWith(now)
    expect(window.has(1, 2, 4, now)).toBe(false)
    expect(window.has(1, 4, 3, now)).toBe(false)
    expect(window.has(4, 2, 3, now)).toBe(false)
  })

  test('holds one id with several times', () => {
    const window = windowWith(now, now + day)
    expect(window.size).toBe(2)
    expect(window.has(...id, now - 100)).toBe(true)
    expect(window.has(...id, now + day + 100)).toBe(true)
    window.enter(...id, now)
    expect(window.size).toBe(2)
  })

  test('calls a record late that is older than newer ones by more than the lateness', () => {
    const window = windowWith(now)
    expect(window.isLate(now - latenessSeconds)).toBe(false)
    expect(window.isLate(now - latenessSeconds - 1)).toBe(true)
    expect(new IdWindow().isLate(1)).toBe(false)
  })

  test('drops its oldest ids at its bound and reports its length', () => {
    const window = new IdWindow({ idsMax: 1_000 })
    fill(window, 1_000, (index) => now + index)
    expect(window.size).toBe(1_000)
    expect(window.lengthSeconds).toBe(day)
    fill(window, 2_000, (index) => now + index)
    expect(window.size).toBeLessThanOrEqual(1_000)
    expect(window.size).toBeGreaterThan(990)
    expect(window.lengthSeconds).toBeLessThan(1_000)
    expect(window.lengthSeconds).toBeGreaterThan(990)
  })

  test('holds only the newest second when that exceeds the bound', () => {
    const window = new IdWindow({ idsMax: 10 })
    fill(window, 11, () => now)
    expect(window.size).toBe(0)
  })
})

describe('Memory', () => {
  test('of an empty window is small', () => {
    expect(new IdWindow().byteLength).toBe(64 * 1024)
  })

  test('is 20 to 28 bytes per id while a window is filled', () => {
    const window = new IdWindow()
    for (let count = 50_000; count <= 400_000; count += 50_000) {
      fill(window, count, () => now)
      expect(window.size).toBe(count)
      const bytesPerId = window.byteLength / count
      expect(bytesPerId).toBeGreaterThanOrEqual(20)
      expect(bytesPerId).toBeLessThan(28.5)
    }
  })

  test('does not grow while equal numbers of ids expire and are added', () => {
    const window = new IdWindow({ windowMs: 10_000, idsMax: 20_000 })
    fill(window, 20_000, () => now)
    const { byteLength } = window
    fill(window, 400_000, (index) => now + Math.floor(index / 1_000))
    expect(window.size).toBeLessThanOrEqual(20_000)
    expect(window.byteLength).toBeLessThan(byteLength * 1.4)
  })
})
