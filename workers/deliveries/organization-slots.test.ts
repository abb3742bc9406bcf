import { expect, test } from 'vitest'
import { OrganizationSlots, type Slot } from './organization-slots.ts'

const limits = { targetsMax: 3, slowMax: 2, slowMs: 100, spacingMs: 10, waitMsMax: 200 }
const kindsOf = (slots: readonly Slot[]) => slots.map(({ kind }) => kind)

test('one organization never has all places', () => {
  const slots = new OrganizationSlots(limits)
  const some = [1, 2, 3, 4].map(() => slots.enter('a', 0))
  expect(kindsOf(some)).toEqual(['free', 'free', 'free', 'busy'])
  expect(slots.enter('b', 0).kind).toBe('free')
  const [first] = some
  if (first?.kind === 'free') first.leave()
  expect(slots.enter('a', 1).kind).toBe('free')
})

test('slow receivers have few of them until one has ended', () => {
  const slots = new OrganizationSlots(limits)
  const [first] = [slots.enter('a', 0), slots.enter('a', 0)]
  expect(slots.enter('a', 100).kind).toBe('busy')
  if (first?.kind === 'free') first.leave()
  expect(slots.enter('a', 100).kind).toBe('free')
})

test('those that found no place try again one after the other, within a bound', () => {
  const slots = new OrganizationSlots(limits)
  for (let no = 0; no < 3; no += 1) slots.enter('a', 0)
  const waits = Array.from({ length: 30 }, () => slots.enter('a', 0)).map((slot) =>
    slot.kind === 'busy' ? slot.waitMs : 0,
  )
  expect(waits.slice(0, 3)).toEqual([110, 120, 130])
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(100)
  expect(Math.max(...waits)).toBeLessThanOrEqual(200)
})
