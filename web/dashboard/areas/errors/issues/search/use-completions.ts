/** What can be typed at the caret of the search: fields and tags, or values of one. */
import { useRead } from '../../../../http/use-read.ts'
import { me } from '../../../../session/session.ts'
import { useDelayed } from '../../../../shell/use-delayed.ts'
import type { Typed } from '../query/completion.ts'
import { type Completion, fieldCompletions, fixedCompletions } from './field-completions.ts'

const shownMax = 12
const pauseMs = 120

export function useCompletions(
  projectId: string,
  typed: Typed,
  isOpen: boolean,
): readonly Completion[] {
  const params = { project_id: projectId }
  const known = useRead(
    'GET /api/v1/projects/{project_id}/search/fields',
    { params },
    { enabled: isOpen },
  ).data?.items
  const tags = useRead(
    'GET /api/v1/projects/{project_id}/tags',
    { params, query: { limit: 100 } },
    { enabled: isOpen },
  ).data?.items
  const name = typed.kind === 'value' ? typed.field : ''
  const field = known?.find((one) => one.name === name && !(typed.kind === 'value' && typed.isTag))
  const isName = typed.kind === 'field' || field?.type === 'field'
  const isPerson = field?.type === 'assignee'
  const fixed = fixedCompletions(field)
  const everybody = usePeople(isOpen && isPerson)
  const isOfPeople = (field?.alias_of ?? field?.name) === 'bookmarks'
  const people = isOfPeople ? everybody.filter(({ text }) => !/^(?:none$|#)/.test(text)) : everybody
  const prefix = useDelayed(typed.prefix, pauseMs)
  const isListed = known !== undefined && !isName && !isPerson && fixed === undefined
  const values = useRead(
    'GET /api/v1/projects/{project_id}/tags/{key}/values',
    { params: { ...params, key: name }, query: { prefix, limit: shownMax } },
    { enabled: isOpen && name !== '' && isListed && (field?.suggests ?? true) },
  ).data?.items

  const wanted = typed.prefix.toLowerCase()
  const fits = ({ text, detail = '' }: Completion) =>
    text.toLowerCase().includes(wanted) || (isPerson && detail.toLowerCase().includes(wanted))
  const found = isName
    ? fieldCompletions(known ?? [], tags ?? [], typed.prefix)
    : isPerson
      ? people.filter(fits)
      : (
          fixed ??
          (values ?? []).map(({ value, count }) => ({
            text: value,
            detail: count === null ? undefined : `${count.toLocaleString('en')} events`,
          }))
        ).filter(fits)
  return found.slice(0, shownMax)
}

/** The person who searches comes first. */
function usePeople(enabled: boolean): readonly Completion[] {
  const people = useRead('GET /api/v1/organization/people', {}, { enabled }).data?.items ?? []
  const teams = useRead('GET /api/v1/organization/teams', {}, { enabled }).data?.items ?? []
  const myId = me.value?.id
  return [
    ...(myId === undefined ? [] : [{ text: 'me', detail: 'The person who looks' }]),
    ...[...people]
      .sort((a, b) => Number(b.id === myId) - Number(a.id === myId))
      .map(({ id, email, name }) => ({
        text: email,
        detail: id === myId ? 'You' : (name ?? undefined),
      })),
    { text: 'none', detail: 'Nobody' },
    ...teams.map(({ slug, name }) => ({ text: `#${slug}`, detail: name })),
  ]
}
