import { expect, test } from 'vitest'
import type { Clock } from '#platform/clock.ts'
import type { ProjectId } from '#schemas/ids.ts'
import {
  type AwaitedEvent,
  type FeedbackLinks,
  type Link,
  linkFeedbackToEvents,
} from './link-feedback.ts'

const hourMs = 3_600_000
const nowMs = 1_763_715_600_000
const clock = { nowMs: () => nowMs, monotonicMs: () => 0 } as Clock
const projectId = 7 as ProjectId
const event = {
  projectId,
  eventId: 'e1',
  hash: 'h1',
  version: 'shop@1',
  environment: '',
  url: 'https://shop.test/cart?sid=1',
}

async function look(awaited: readonly AwaitedEvent[]) {
  let links: readonly Link[] = []
  let later: Parameters<FeedbackLinks['later']>[0] = []
  const store: FeedbackLinks = {
    awaited: async () => awaited,
    find: async (rows) =>
      [event].filter(({ eventId }) => rows.some((row) => row.eventId === eventId)),
    link: async (found) => {
      links = found
    },
    later: async (rows) => {
      later = rows
    },
  }
  await linkFeedbackToEvents(store, clock)
  return { links, later }
}

test('values of the event are copied to the feedback', async () => {
  const row = { projectId, id: 'f1', eventId: 'e1', createdAtMs: nowMs }
  expect(await look([row])).toEqual({
    links: [{ ...row, hash: 'h1', version: 'shop@1', environment: null, path: '/cart' }],
    later: [],
  })
})

test('an event with the same id in another project is not linked', async () => {
  const row = { projectId: 8 as ProjectId, id: 'f1', eventId: 'e1', createdAtMs: nowMs }
  expect((await look([row])).links).toEqual([])
})

// biome-ignore format: the columns are the point
test.each([
  ['at once',             0,              nowMs + 10_000],
  ['an hour ago',         hourMs,         nowMs + hourMs],
  ['in the future',       -hourMs,        nowMs + 10_000],
  ['more than a month ago', 31 * 24 * hourMs, null],
])('a missing event is searched again later: feedback from %s', async (_name, ageMs, searchAtMs) => {
  const row = { projectId, id: 'f2', eventId: 'e2', createdAtMs: nowMs - ageMs }
  expect((await look([row])).later).toEqual([{ projectId, id: 'f2', searchAtMs }])
})
