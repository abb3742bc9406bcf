/**
 * Sums have the matches that a plain evaluation of every rule on every event gives: filters that
 * rules share, matches that need one event only, and the packed form change nothing.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventId, ProjectId } from '#schemas/ids.ts'
import type { AlertFilter } from '#schemas/rest/alerts/alert.ts'
import { filterListOf } from '../../../test/fixtures/workers/filter-list.ts'
import { hashOf } from '../../../test/fixtures/workers/range-output.ts'
import { groupEvent } from '../../grouping/group-v1.ts'
import { normalizeEvent } from '../../normalize/normalize-event.ts'
import { userHash } from '../../release-health/user-hash.ts'
import { filtersForDigest, filtersOf, type IssueRule } from '../alert-rules.ts'
import { compileFilter } from './compile-filter.ts'
import { GroupedEvent, userIdentity } from './event-text.ts'
import { unpackMatches } from './filter-match.ts'
import { FiltersByProject } from './match-filters.ts'

const project = 7 as ProjectId
const nowMs = Date.UTC(2026, 10, 20, 12)
const minuteMs = 60_000

const word = fc.constantFrom('a', 'A', 'ab', 'GRÖẞE', 'größe', '__proto__', '🦆')
const glob = fc.constantFrom('a', 'a*', '*B', '*', 'größe*')
const sent = fc.record(
  {
    level: fc.constantFrom('fatal', 'error', 'info'),
    release: fc.constantFrom('a', 'ab', 'b@1', ''),
    environment: word,
    message: word,
    user: fc.record({ id: fc.constantFrom('1', '2', '3') }),
    tags: fc.record({ t: word }),
  },
  { requiredKeys: [] },
)
const received = fc.integer({ min: 0, max: 3 }).map((minute) => nowMs + minute * minuteMs)

const conditions = fc.record({
  level: fc.uniqueArray(fc.constantFrom('fatal' as const, 'error' as const), { minLength: 1 }),
  environment: fc.array(word, { minLength: 1, maxLength: 2 }),
  release: fc.array(glob, { minLength: 1, maxLength: 2 }),
  tags: fc.record({ t: fc.array(glob, { minLength: 1, maxLength: 2 }) }),
  query: fc.constantFrom('a', '!release:a*', 'has:user', 'level:error ab'),
  unresolved: fc.boolean(),
})
const names = ['level', 'environment', 'release', 'tags', 'query', 'unresolved'] as const
const filter: fc.Arbitrary<AlertFilter> = fc
  .tuple(conditions, fc.subarray([...names], { maxLength: 2 }))
  .map(([all, some]) => Object.fromEntries(some.map((name) => [name, all[name]])))

const window = { threshold: 1, window_seconds: 60, compared_to: 'absolute' as const }
const condition = fc.constantFrom<IssueRule['when'][number]>(
  { type: 'new_issue' },
  { type: 'escalation' },
  { type: 'first_in_release' },
  { type: 'event_count', ...window },
  { type: 'user_count', ...window },
)
const rules = fc
  .array(fc.record({ when: fc.array(condition, { minLength: 1, maxLength: 2 }), if: filter }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((all) => all.map((rule, index): IssueRule => ({ id: `rule ${index}`, ...rule })))

function eventOf(payload: object, receivedAtMs: number, index: number): GroupedEvent {
  const normalized = normalizeEvent({
    payload: Buffer.from(JSON.stringify(payload)),
    eventId: hashOf(`event ${index}`) as EventId,
    receivedAtMs,
  })
  if (normalized.kind !== 'event') throw new Error(`the event is ${normalized.kind}`)
  return new GroupedEvent(normalized.event, groupEvent(normalized.event))
}

const unbounded = { spend: () => undefined }

/** What a commit needs to know for a rule, in the plainest way. */
function expected({ when, if: wanted }: IssueRule, events: readonly GroupedEvent[]) {
  const matches = compileFilter(wanted)
  const matched = events.filter((each) => matches(each, unbounded)).map(({ event }) => event)
  if (matched.length === 0) return undefined
  const has = (type: string) => when.some((each) => each.type === type)
  const minutes = matched.map(({ receivedAtMs }) => Math.floor(receivedAtMs / minuteMs))
  const hashes = matched.map(({ user }) => userHash(project, userIdentity(user)))
  const releases = matched.map(({ release }) => release).filter((release) => release !== '')
  const needsAll = has('event_count') || has('user_count') || has('first_in_release')
  return {
    first: matched[0]!.eventId,
    last: needsAll ? Math.max(...matched.map(({ receivedAtMs }) => receivedAtMs)) : undefined,
    minutes: has('event_count') ? minutes.sort() : undefined,
    users: has('user_count') ? new Set(hashes.filter((hash) => hash !== 0)) : undefined,
    releases: has('first_in_release') ? new Set(releases) : undefined,
  }
}

test('the matches of a sum are those of every rule alone', () => {
  let matchedRules = 0
  fc.assert(
    fc.property(rules, fc.array(fc.tuple(sent, received), { maxLength: 8 }), (all, payloads) => {
      const events = payloads.map(([payload, atMs], index) => eventOf(payload, atMs, index))
      const filters = filtersOf(all)
      const list = filterListOf(filters)
      const lists = filtersForDigest([{ projectId: project, filters, list }])
      const sum = new FiltersByProject(lists).openSum(project)!
      for (const { event, grouping } of events) sum.add(event, grouping)
      const found = unpackMatches(sum.finish())
      for (const rule of all) {
        const at = filters.findIndex((one) => one.rules.includes(rule))
        const match = found.find((one) => one.filter === at)
        const plain = expected(rule, events)
        expect(match?.first.eventId).toBe(plain?.first)
        if (plain === undefined) continue
        matchedRules += 1
        const { last, minutes, users, releases } = plain
        if (last !== undefined) expect(match?.counted?.lastReceivedMs).toBe(last)
        if (minutes !== undefined) {
          const counted = match?.counted?.minutes.flatMap(([minute, count]) =>
            Array.from({ length: count }, () => minute),
          )
          expect(counted?.sort()).toEqual(minutes)
        }
        if (users !== undefined) expect(new Set(match?.counted?.users)).toEqual(users)
        if (releases !== undefined) {
          const named = match?.counted?.releases.map(({ release }) => release)
          expect(new Set(named)).toEqual(releases)
          expect(named).toHaveLength(releases.size)
        }
      }
    }),
    { seed: 18, numRuns: 300 },
  )
  expect(matchedRules).toBeGreaterThan(300)
})

test('the matches of two sums one after the other are those of both', () => {
  const list = filterListOf(
    filtersOf([{ id: 'r', when: [{ type: 'event_count', ...window }], if: {} }]),
  )
  const filters = new FiltersByProject([{ ...list, projectIds: [project] }])
  const packed = [0, 1].map((index) => {
    const sum = filters.openSum(project)!
    const { event, grouping } = eventOf({}, nowMs, index)
    sum.add(event, grouping)
    return sum.finish()
  })
  const both = unpackMatches(packed.flat())
  expect(both.map(({ first }) => first.eventId)).toEqual([hashOf('event 0'), hashOf('event 1')])
})
