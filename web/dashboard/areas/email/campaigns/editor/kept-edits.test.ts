import { describe, expect, test } from 'vitest'
import { KeptEditsStore } from './kept-edits.ts'

interface Fields {
  readonly subject: string
  readonly markdown: string | null
}

const stored: Fields = { subject: 'Stored', markdown: 'Text' }

function memory() {
  const items = new Map<string, string>()
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}

const storeIn = (place: ReturnType<typeof memory>, personId = 'ada') =>
  new KeptEditsStore<Fields>({ personId, campaignId: 'c1' }, () => place)

describe('kept edits', () => {
  test('come back with the version that they were made on, to the same person', () => {
    const place = memory()
    storeIn(place).keep({ change: { subject: 'Mine' }, version: 'v1' })
    expect(storeIn(place).read(stored)).toEqual({ change: { subject: 'Mine' }, version: 'v1' })
    expect(storeIn(place, 'bert').read(stored)).toBeUndefined()
  })

  test('are dropped when the draft has these values already', () => {
    const place = memory()
    storeIn(place).keep({ change: { subject: 'Stored', markdown: 'Text' }, version: 'v1' })
    expect(storeIn(place).read(stored)).toBeUndefined()
    expect(place.items.size).toBe(0)
  })

  test('end when nothing is unsaved any more', () => {
    const place = memory()
    storeIn(place).keep({ change: { subject: 'Mine' }, version: 'v1' })
    storeIn(place).keep({ change: {}, version: 'v2' })
    expect(place.items.size).toBe(0)
  })

  test('are no error where storage is full, switched off or holds something else', () => {
    const refused = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    const off = new KeptEditsStore<Fields>({ personId: 'ada', campaignId: 'c1' }, refused)
    off.keep({ change: { subject: 'Mine' }, version: 'v1' })
    expect(off.read(stored)).toBeUndefined()
    const place = memory()
    place.items.set('sluice.draft.ada.c1', '{')
    expect(storeIn(place).read(stored)).toBeUndefined()
  })
})
