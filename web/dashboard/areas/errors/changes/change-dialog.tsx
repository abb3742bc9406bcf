/** The dialogs of changes that need one choice: who, until when, in which release. */
import { useState } from 'preact/hooks'
import { Avatar } from '../../../design/content/badge.tsx'
import { Icon } from '../../../design/icon.tsx'
import { useRead } from '../../../http/use-read.ts'
import { me } from '../../../session/session.ts'
import { useDelayed } from '../../../shell/use-delayed.ts'
import { ignoreChoices, snoozeChoices } from './ignore-choices.ts'
import type { Assignee, IssueChange } from './issue-after.ts'
import { type Pick, PickDialog } from './pick-dialog.tsx'

export type ChangeKind = 'resolve' | 'ignore' | 'assign' | 'priority' | 'snooze'

interface ChangeDialogProps {
  readonly kind: ChangeKind
  readonly projectId: string
  /** `SHOP-12`, `3 issues` */
  readonly what: string
  readonly onChange: (change: IssueChange, assignee?: Assignee) => void
  readonly onClose: () => void
}

export function ChangeDialog(props: ChangeDialogProps) {
  switch (props.kind) {
    case 'assign':
      return <AssignDialog {...props} />
    case 'resolve':
      return <ResolveDialog {...props} />
    case 'priority':
      return <PriorityDialog {...props} />
    default:
      return <UntilDialog {...props} />
  }
}

function AssignDialog({ what, onChange, onClose }: ChangeDialogProps) {
  const people = useRead('GET /api/v1/organization/people', {}).data?.items ?? []
  const teams = useRead('GET /api/v1/organization/teams', {}).data?.items ?? []
  const myId = me.value?.id
  const nobody: Pick = {
    key: 'none',
    label: 'Nobody',
    mark: <Icon name="minus" />,
    run: () => onChange({ assignee: null }),
  }
  const picks: Pick[] = [
    ...[...people]
      .sort((a, b) => Number(b.id === myId) - Number(a.id === myId))
      .map(({ id, name, email }) => ({
        key: id,
        label: id === myId ? `${name ?? email} (you)` : (name ?? email),
        detail: email,
        mark: <Avatar name={name ?? email} />,
        run: () => onChange({ assignee: id }, { kind: 'person' as const, id, name, email }),
      })),
    ...teams.map(({ id, slug, name }) => ({
      key: id,
      label: name,
      detail: `#${slug}`,
      mark: <Icon name="people" size={20} />,
      run: () => onChange({ assignee: `team:${slug}` }, { kind: 'team' as const, id, slug, name }),
    })),
  ]
  return (
    <PickDialog
      title={`Assign ${what}`}
      placeholder="Name, email address or team"
      picksOf={(text) => filterPicks([...picks, nobody], text)}
      onClose={onClose}
    />
  )
}

function ResolveDialog({ projectId, what, onChange, onClose }: ChangeDialogProps) {
  const [text, setText] = useState('')
  const prefix = useDelayed(text.trim(), 150)
  const releases = useRead(
    'GET /api/v1/projects/{project_id}/tags/{key}/values',
    { params: { project_id: projectId, key: 'release' }, query: { prefix, limit: 8 } },
    { keepPrevious: true },
  ).data?.items
  const resolveIn = (release: string) => () => onChange({ resolved_in: release })
  const picksOf = (typed: string): readonly Pick[] => {
    const name = typed.trim()
    const fixed = [
      {
        key: 'now',
        label: 'Now',
        detail: 'reopens with this release or later',
        run: resolveIn('now'),
      },
      {
        key: 'next',
        label: 'In the next release',
        detail: 'reopens with a later release',
        run: resolveIn('next_release'),
      },
    ]
    const named = (releases ?? []).map(({ value }) => ({
      key: `release ${value}`,
      label: `In ${value}`,
      run: resolveIn(value),
    }))
    const known = filterPicks([...fixed, ...named], name)
    const isKnown = name === '' || named.some(({ label }) => label === `In ${name}`)
    const isCommit = /^[0-9a-f]{7,64}$/i.test(name)
    return [
      ...known,
      ...(isCommit
        ? [{ key: 'commit', label: `By the commit ${name}`, run: resolveIn(`commit:${name}`) }]
        : []),
      ...(isKnown
        ? []
        : [{ key: 'typed', label: `In the release “${name}”`, run: resolveIn(name) }]),
    ]
  }
  return (
    <PickDialog
      title={`Resolve ${what}`}
      placeholder="Now, next release, a release, or a commit"
      picksOf={picksOf}
      onText={setText}
      onClose={onClose}
    />
  )
}

function PriorityDialog({ what, onChange, onClose }: ChangeDialogProps) {
  const picks = (['high', 'medium', 'low'] as const).map((priority) => ({
    key: priority,
    label: priority[0]!.toUpperCase() + priority.slice(1),
    run: () => onChange({ priority }),
  }))
  const byLevel = { key: 'level', label: 'By its level', run: () => onChange({ priority: null }) }
  return (
    <PickDialog
      title={`Set the priority of ${what}`}
      placeholder="High, medium, low"
      picksOf={(text) => filterPicks([...picks, byLevel], text)}
      onClose={onClose}
    />
  )
}

function UntilDialog({ kind, what, onChange, onClose }: ChangeDialogProps) {
  const choicesOf = kind === 'snooze' ? snoozeChoices : ignoreChoices
  return (
    <PickDialog
      title={`${kind === 'snooze' ? 'Snooze' : 'Ignore'} ${what}`}
      placeholder={kind === 'snooze' ? '1 hour, or a number' : 'Forever, a number, or a time'}
      picksOf={(text) =>
        choicesOf(text, Date.now()).map(({ label, change }) => ({
          key: label,
          label,
          run: () => onChange(change),
        }))
      }
      onClose={onClose}
    />
  )
}

function filterPicks(picks: readonly Pick[], text: string): readonly Pick[] {
  const wanted = text.trim().toLowerCase()
  return picks.filter(({ label, detail = '' }) =>
    `${label} ${detail}`.toLowerCase().includes(wanted),
  )
}
