import { expect, test } from 'vitest'
import { endLastRange } from './noted-range.ts'

const noteOf = (rowsHash: string) => ({ settings: { rowsHash } }) as never

// biome-ignore format: the columns are the point
test.each([
  // isUndone, canReplay, hasEventRows, rowsHash
  [true,  true,  true,  '90:a', 'undone'],
  [true,  false, false, '90:a', 'undone'],
  [true,  false, true,  '0:0',  'undone'],
  [false, true,  true,  '90:a', 'planned'],
  [false, true,  false, '90:a', 'planned'],
  [false, true,  false, '0:0',  'planned'],
  [false, false, true,  '90:a', 'kept'],
  // Without messages and without rows it was never inserted, unless it had no events.
  [false, false, false, '90:a', 'planned'],
  [false, false, false, '0:0',  'kept'],
] as const)(
  'undone %s, replay %s, rows %s of %s: the last range is %s',
  (isUndone, canReplay, hasEventRows, rowsHash, end) => {
    const range = { isUndone, note: noteOf(rowsHash) }
    expect(endLastRange(range, { canReplay, hasEventRows })).toBe(end)
  },
)
