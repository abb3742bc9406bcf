/** Until when an issue is ignored or snoozed: the usual choices, or a typed number. */
import { countOf } from '../../../design/content/format.ts'
import type { IssueChange } from './issue-after.ts'

export interface UntilChoice {
  readonly label: string
  readonly change: IssueChange
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const spans = [
  ['1 hour', hourMs],
  ['4 hours', 4 * hourMs],
  ['1 day', dayMs],
  ['1 week', 7 * dayMs],
  ['30 days', 30 * dayMs],
] as const
/** Numbers beyond these are refused by the API. */
const eventsMax = 1_000_000_000
const usersMax = 100_000
const daysMax = 3_650

export function ignoreChoices(text: string, nowMs: number): readonly UntilChoice[] {
  const number = numberIn(text)
  if (number !== undefined) {
    const rest = text.replace(/^\s*\d+\s*/, '').toLowerCase()
    return [
      ...(number <= eventsMax
        ? [choice(`Until ${countOf(number, 'more event')}`, { events: number })]
        : []),
      ...(number <= usersMax
        ? [choice(`Until ${countOf(number, 'more user')}`, { users: number })]
        : []),
      ...spansOf(number).map(([name, ms]) => choice(`For ${name}`, { at: timeAt(nowMs + ms) })),
    ].filter(({ label }) => label.toLowerCase().includes(rest))
  }
  return filter(
    [
      choice('Until it escalates', { escalating: true }),
      choice('Forever', null),
      ...spans.map(([name, ms]) => choice(`For ${name}`, { at: timeAt(nowMs + ms) })),
      choice('Until 100 more events', { events: 100 }),
      choice('Until 10 more users', { users: 10 }),
    ],
    text,
  )
}

export function snoozeChoices(text: string, nowMs: number): readonly UntilChoice[] {
  const number = numberIn(text)
  const rest = text.replace(/^\s*\d+\s*/, '')
  const given = number === undefined ? spans : spansOf(number)
  const choices = given.map(([name, ms]) => ({
    label: `For ${name}`,
    change: { snooze_until: timeAt(nowMs + ms) },
  }))
  return filter(choices, number === undefined ? text : rest)
}

function choice(label: string, until: IssueChange['ignore_until']): UntilChoice {
  return { label, change: { ignore_until: until } }
}

function filter(choices: readonly UntilChoice[], text: string): readonly UntilChoice[] {
  const wanted = text.trim().toLowerCase()
  return choices.filter(({ label }) => label.toLowerCase().includes(wanted))
}

function numberIn(text: string): number | undefined {
  const digits = /^\s*(\d{1,12})/.exec(text)?.[1]
  const number = Number(digits ?? 0)
  return number > 0 ? number : undefined
}

function spansOf(number: number): readonly (readonly [string, number])[] {
  const all = [
    [countOf(number, 'hour'), number * hourMs],
    [countOf(number, 'day'), number * dayMs],
  ] as const
  return all.filter(([, ms]) => ms <= daysMax * dayMs)
}

function timeAt(ms: number): string {
  return new Date(ms).toISOString()
}
