import { describe, expect, test } from 'vitest'
import type { RangeInHand } from './range-in-hand.ts'
import { Refusals, refusedPauseMsMax, storeFaultMsMax } from './refusals.ts'

function rangeOf(fields: Partial<RangeInHand> & { readonly frames?: number } = {}): RangeInHand {
  const { frames = 1, ...rest } = fields
  const messages = Array.from({ length: frames }, (_, index) => ({
    streamSeq: index + 1,
    bytes: new Uint8Array(),
  }))
  const flags = { hasFresh: true, isAllRefused: false, wasRehearsed: true }
  return { messages, ...flags, ...rest } as unknown as RangeInHand
}

const refused = rangeOf({ isAllRefused: true })

describe('The pause after ranges that were set aside', () => {
  test('doubles up to its maximum, and is reset after a range was stored', () => {
    const refusals = new Refusals()
    const pauses = Array.from({ length: 9 }, () => refusals.noteCommit(refused))
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
    expect(refusedPauseMsMax).toBe(30_000)
    expect(refusals.noteCommit(rangeOf())).toBe(0)
    expect(refusals.noteCommit(refused)).toBe(500)
  })

  test('is not reset by frames of a former generation', () => {
    const refusals = new Refusals()
    refusals.noteCommit(refused)
    expect(refusals.noteCommit(rangeOf({ hasFresh: false }))).toBe(0)
    expect(refusals.noteCommit(refused)).toBe(1000)
  })
})

describe('A planned range', () => {
  test('is probed before its third refusal and undone after it', () => {
    const refusals = new Refusals()
    const steps = Array.from({ length: 3 }, () => {
      refusals.note('no')
      const step = [refusals.isProbeDue, refusals.areTooMany]
      if (refusals.isProbeDue) refusals.noteProbeTaken()
      return step
    })
    expect(steps).toEqual([
      [false, false],
      [true, false],
      [false, true],
    ])
    refusals.noteUndone()
    expect(refusals.inARow).toBe(0)
  })

  test('waits for an hour for a store that refuses the probe', () => {
    const refusals = new Refusals()
    refusals.note('no')
    refusals.note('no')
    expect(refusals.noteProbeRefused(1_000)).toBe(false)
    expect(refusals.noteProbeRefused(999 + storeFaultMsMax)).toBe(false)
    expect(refusals.isProbeDue).toBe(true)
    expect(refusals.noteProbeRefused(1_000 + storeFaultMsMax)).toBe(true)
    expect(refusals.isProbeDue).toBe(false)
    expect(refusals.storeFaultSinceMs).toBe(1_000)
  })
})

test('a rehearsed range that is undone is split in halves, until one frame is given up', () => {
  const refusals = new Refusals()
  refusals.note('why')
  refusals.noteUndo(rangeOf({ frames: 5, wasRehearsed: false }), 0)
  expect(refusals.framesMax).toBe(Number.POSITIVE_INFINITY)
  expect(refusals.isRehearsing(0)).toBe(true)
  refusals.noteUndo(rangeOf({ frames: 5 }), 0)
  expect(refusals.framesMax).toBe(3)
  expect(refusals.givenUp).toBeUndefined()
  refusals.noteUndo(rangeOf({ frames: 1 }), 0)
  expect(refusals.givenUp).toEqual({ streamSeq: 1, detail: 'why' })
  // A frame of the former generation does not change that.
  refusals.noteCommit(rangeOf({ hasFresh: false }))
  expect(refusals.givenUp).toBeDefined()
  refusals.noteCommit(refused)
  expect(refusals).toMatchObject({ givenUp: undefined, framesMax: 1 })
  refusals.noteCommit(rangeOf())
  expect(refusals.framesMax).toBe(Number.POSITIVE_INFINITY)
})
