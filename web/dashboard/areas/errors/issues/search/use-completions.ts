/** What can be typed at the caret of the search: fields and tags, or values of one. */

import { useRead } from '../../../../http/use-read.ts'
import { me } from '../../../../session/session.ts'
import { useDelayed } from '../../../../shell/use-delayed.ts'
import type { Typed } from '../query/completion.ts'

export interface Completion {
  readonly text: string
  /** A number of events, or what a field is. */
  readonly detail?: string | undefined
  /** Written as it is, without quotes. */
  readonly raw?: boolean
  readonly isTagLikeField?: boolean
}

const shownMax = 12
const pauseMs = 120

const usualFields: readonly (readonly [string, string])[] = [
  ['is', 'state: unresolved, new, regressed …'],
  ['level', 'fatal, error, warning, info, debug'],
  ['assigned', 'a person, a team, or none'],
  ['environment', 'where it happened'],
  ['release', 'of an event'],
  ['lastSeen', 'time of the last event'],
  ['firstSeen', 'time of the first event'],
  ['times_seen', 'number of events'],
  ['user.email', 'who was affected'],
  ['error.type', 'such as TypeError'],
  ['component', 'label of the DSN key'],
  ['url', 'of the request'],
]
/** Other names of fields, which would only fill the list. */
const aliases = new Set([
  'assignee',
  'first_seen',
  'last_seen',
  'timesSeen',
  'message',
  'user.name',
])
const timeFields = new Set([
  'lastSeen',
  'last_seen',
  'firstSeen',
  'first_seen',
  'age',
  'timestamp',
  'received',
])
const times: readonly Completion[] = [
  { text: '-1h', detail: 'in the last hour', raw: true },
  { text: '-24h', detail: 'in the last 24 hours', raw: true },
  { text: '-7d', detail: 'in the last 7 days', raw: true },
  { text: '-30d', detail: 'in the last 30 days', raw: true },
  { text: '+7d', detail: 'more than 7 days ago', raw: true },
]
const counts: readonly Completion[] = ['>1', '>10', '>100', '>1000'].map((text) => ({
  text,
  raw: true,
}))

export function useCompletions(
  projectId: string,
  typed: Typed,
  isOpen: boolean,
): readonly Completion[] {
  const params = { project_id: projectId }
  const all = useRead(
    'GET /api/v1/projects/{project_id}/tags',
    { params, query: { limit: 100 } },
    { enabled: isOpen },
  ).data
  const field = typed.kind === 'value' ? typed.field : ''
  const prefix = useDelayed(typed.prefix, pauseMs)
  const isPerson = field === 'assigned' || field === 'assignee'
  const isListed = !isPerson && field !== 'has' && field !== 'times_seen' && !timeFields.has(field)
  const values = useRead(
    'GET /api/v1/projects/{project_id}/tags/{key}/values',
    { params: { ...params, key: field }, query: { prefix, limit: shownMax } },
    { enabled: isOpen && field !== '' && isListed, keepPrevious: typed.kind === 'value' },
  ).data?.items
  const people = useRead(
    'GET /api/v1/organization/people',
    {},
    { enabled: isOpen && isPerson },
  ).data
  const teams = useRead('GET /api/v1/organization/teams', {}, { enabled: isOpen && isPerson }).data
  const wanted = typed.prefix.toLowerCase()
  const fits = ({ text, detail = '' }: Completion) =>
    text.toLowerCase().includes(wanted) || (isPerson && detail.toLowerCase().includes(wanted))

  if (typed.kind === 'field' || field === 'has') {
    const known = new Set(usualFields.map(([name]) => name))
    const fields = new Set(all?.fields ?? [])
    const tags = (all?.items ?? []).map(({ key, count }) => ({
      text: key,
      detail: `tag, ${count.toLocaleString('en')} events`,
      isTagLikeField: fields.has(key),
    }))
    const others = [...fields]
      .filter((name) => !known.has(name) && !aliases.has(name))
      .map((text) => ({ text }))
    const usual = usualFields.map(([text, detail]) => ({ text, detail }))
    const found = [...usual, ...tags, ...others].filter(fits)
    const begins = (one: Completion) => Number(one.text.toLowerCase().startsWith(wanted))
    return found.sort((a, b) => begins(b) - begins(a)).slice(0, shownMax)
  }
  if (timeFields.has(field)) return times.filter(fits)
  if (field === 'times_seen' || field === 'timesSeen') return counts.filter(fits)
  if (isPerson) {
    const myId = me.value?.id
    return [
      ...[...(people?.items ?? [])]
        .sort((a, b) => Number(b.id === myId) - Number(a.id === myId))
        .map(({ id, email, name }) => ({
          text: email,
          detail: id === myId ? 'you' : (name ?? undefined),
        })),
      { text: 'none', detail: 'nobody' },
      ...(teams?.items ?? []).map(({ slug, name }) => ({ text: `#${slug}`, detail: name })),
    ]
      .filter(fits)
      .slice(0, shownMax)
  }
  return (values ?? [])
    .map(({ value, count }) => ({
      text: value,
      detail: count === null ? undefined : `${count.toLocaleString('en')} events`,
    }))
    .filter(fits)
}
