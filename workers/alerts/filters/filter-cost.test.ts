/** No filter and no event cost more than the steps that they are charged for. */
import { expect, test } from 'vitest'
import type { AlertFilter } from '#schemas/rest/alerts/alert.ts'
import type { Grouping } from '../../grouping/grouping.ts'
import { normalizeEvent } from '../../normalize/normalize-event.ts'
import { compileFilter } from './compile-filter.ts'
import { GroupedEvent } from './event-text.ts'

type Input = Parameters<typeof normalizeEvent>[0]

const text = (characters: number) => 'a'.repeat(characters)
const payload = {
  release: text(250),
  user: { id: text(128) },
  tags: Object.fromEntries(Array.from({ length: 50 }, (_, no) => [`${text(150)}${no}`, text(200)])),
}
const normalized = normalizeEvent({
  payload: Buffer.from(JSON.stringify(payload)),
  eventId: 'a'.repeat(32),
  receivedAtMs: Date.UTC(2026, 10, 20, 12),
  scrub: () => undefined,
} as unknown as Input)
if (normalized.kind !== 'event') throw new Error(normalized.kind)
const grouping = { title: text(500), culprit: text(200), exceptionType: text(200) }
const grouped = new GroupedEvent(normalized.event, grouping as unknown as Grouping)

function stepsOf(filter: AlertFilter): number {
  let steps = 0
  compileFilter(filter)(grouped, { spend: (some) => (steps += some) })
  return steps
}

const terms = (term: string) => Array.from({ length: 30 }, () => term).join(' ')

// biome-ignore format: the columns are the point
test.each<[string, AlertFilter, number]>([
  ['times',                  { query: terms('timestamp:<=2030-01-01') },  30],
  ['fields that are absent', { query: terms('!has:unknown') },            30 * 50],
  ['tags that are absent',   { query: terms('!unknown:x') },              30 * 50],
  ['texts that are equal',   { query: terms('!title:x') },                30 * 500],
  ['texts with stars',       { query: terms('!release:b*b') },            30 * 250],
  ['words',                  { query: terms('!word') },                   30 * 700],
  ['the filter of a tag',    { tags: { unknown: ['x'] } },                50],
  ['the filter of a field',  { release: [text(10)] },                     250],
])('%s are charged', (_name, filter, stepsMin) => {
  expect(stepsOf(filter)).toBeGreaterThanOrEqual(stepsMin)
})

test('ages are relative to the receipt of the event, and times are not', () => {
  const at = (query: string, occurredAtMs: number) =>
    compileFilter({ query })(
      new GroupedEvent({ ...normalized.event, occurredAtMs }, grouped.grouping),
      { spend: () => undefined },
    )
  const { receivedAtMs } = normalized.event
  const hourMs = 3_600_000
  expect(at('timestamp:-1h', receivedAtMs - hourMs)).toBe(true)
  expect(at('timestamp:-1h', receivedAtMs - hourMs - 1)).toBe(false)
  expect(at('timestamp:+1h', receivedAtMs - hourMs)).toBe(true)
  expect(at('timestamp:+1h', receivedAtMs - hourMs + 1)).toBe(false)
  expect(at('timestamp:-999999w', 0)).toBe(true)
  expect(at('timestamp:+999999w', 1)).toBe(false)
  expect(at('timestamp:2026-11-20', Date.UTC(2026, 10, 20, 1))).toBe(true)
  expect(at('timestamp:2026-11-20', Date.UTC(2026, 10, 21))).toBe(false)
})
