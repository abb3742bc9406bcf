import { useState } from 'preact/hooks'
import { Avatar } from '../../../../design/content/badge.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { TextField } from '../../../../design/forms/field.tsx'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import { useRead } from '../../../../http/use-read.ts'
import { me } from '../../../../session/session.ts'
import type { IssueDetail } from '../issue-reads.ts'
import { changeIssue } from './change-issue.ts'

interface AssignProps {
  readonly projectId: string
  readonly issue: IssueDetail
  readonly onClose: () => void
}

interface Owner {
  /** As the API names it: the id of a person, `team:<slug>`, or null. */
  readonly value: string | null
  readonly name: string
  readonly note: string
}

const ownersShown = 50

/** Typing finds a person or a team; Enter takes the first. */
export function AssignDialog({ projectId, issue, onClose }: AssignProps) {
  const people = useRead('GET /api/v1/organization/people', {})
  const teams = useRead('GET /api/v1/organization/teams', {})
  const [text, setText] = useState('')
  const owners: readonly Owner[] = [
    ...(people.data?.items ?? []).map((person) => ({
      value: person.id,
      name: person.name ?? person.email,
      note: person.id === me.value?.id ? 'you' : person.name === null ? '' : person.email,
    })),
    ...(teams.data?.items ?? []).map((team) => ({
      value: `team:${team.slug}`,
      name: `#${team.slug}`,
      note: team.name,
    })),
  ]
  const wanted = text.toLowerCase()
  const found = [
    ...owners.filter(({ note }) => note === 'you'),
    ...owners.filter(({ note }) => note !== 'you'),
    ...(hasOwner(issue) ? [{ value: null, name: 'Nobody', note: '' }] : []),
  ].filter(({ name, note }) => `${name} ${note}`.toLowerCase().includes(wanted))
  const assign = ({ value, name }: Owner) => {
    onClose()
    const done = value === null ? 'Assigned to nobody:' : `Assigned to ${name}:`
    void changeIssue({ projectId, issue }, { assignee: value }, `${done} ${issue.short_id}.`)
  }
  const problem = people.problem ?? teams.problem
  return (
    <Dialog title={`Assign ${issue.short_id}`} size="s" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          const [first] = found
          if (first !== undefined) assign(first)
        }}
      >
        <TextField
          label="Person or team"
          hideLabel
          placeholder="Find a person or a team"
          value={text}
          onText={setText}
          autoFocus
          autocomplete="off"
        />
        {problem !== undefined && <ProblemBox problem={problem} onRetry={people.refetch} />}
        <ul class="issue-owners" aria-label="People and teams">
          {found.slice(0, ownersShown).map((owner) => (
            <li key={String(owner.value)}>
              <button type="button" onClick={() => assign(owner)}>
                <Avatar name={owner.name} />
                <span>{owner.name}</span>
                <span class="soft">{owner.note}</span>
              </button>
            </li>
          ))}
        </ul>
        {found.length === 0 && people.data !== undefined && (
          <p class="soft small">Nobody in the organization has this name.</p>
        )}
      </form>
    </Dialog>
  )
}

function hasOwner({ assignee, assignee_team }: IssueDetail): boolean {
  return assignee !== null || assignee_team !== null
}
