import { Sparkline } from '../../../../design/charts/sparkline.tsx'
import { Badge } from '../../../../design/content/badge.tsx'
import { countOf, formatCompact, formatNumber } from '../../../../design/content/format.ts'
import { Time } from '../../../../design/content/time.tsx'
import type { Issue } from '../../../../generated/api.d.ts'
import { projectPath } from '../../../../url/use-project.ts'
import { AssigneeMark, LevelMark, StateBadge } from '../../issue-marks.tsx'
import { BookmarkStar } from '../../marks/bookmark-star.tsx'
import type { ColumnName } from './columns.ts'
import './issue-list.css'

interface IssueRowProps {
  readonly issue: Issue
  readonly projectId: string
  readonly columns: readonly ColumnName[]
  readonly isSelected: boolean
  readonly canSelect: boolean
  readonly onSelect: (issue: Issue, isRange: boolean) => void
}

export function IssueRow(props: IssueRowProps) {
  const { issue, projectId, columns, isSelected, canSelect, onSelect } = props
  const { title, culprit, short_id: shortId, components, environments } = issue
  return (
    <div class="issue-row" data-selected={isSelected}>
      {canSelect && (
        <label class="issue-check">
          <input
            type="checkbox"
            class="check"
            checked={isSelected}
            aria-label={`Select ${shortId}`}
            onClick={(event) => {
              // The list decides what is selected; shift selects a range.
              event.preventDefault()
              onSelect(issue, event.shiftKey)
            }}
          />
        </label>
      )}
      <LevelMark level={issue.level} />
      <div class="issue-main">
        <div class="issue-line">
          <a class="issue-title truncate" href={projectPath(projectId, `issues/${issue.id}`)}>
            {title}
          </a>
          <StateBadge issue={issue} />
        </div>
        <div class="issue-sub">
          <span class="issue-id">{shortId}</span>
          {culprit !== '' && <span class="truncate issue-culprit">{culprit}</span>}
          {components.slice(0, 2).map((name) => (
            <Badge key={name} title={`Component ${name}`}>
              {name}
            </Badge>
          ))}
          {!columns.includes('environments') && environments.length > 0 && (
            <span class="issue-environments truncate" title={environments.join(', ')}>
              {environments.length > 2
                ? countOf(environments.length, 'environment')
                : environments.join(', ')}
            </span>
          )}
          <span class="issue-narrow">
            {countOf(issue.count, 'event')} · <Time at={issue.last_seen} />
          </span>
        </div>
      </div>
      <BookmarkStar projectId={projectId} issue={issue} />
      {columns.map((name) => (
        <div key={name} class={`issue-cell issue-cell-${name}`}>
          {cells[name](issue)}
        </div>
      ))}
    </div>
  )
}

const cells: Readonly<Record<ColumnName, (issue: Issue) => preact.ComponentChildren>> = {
  trend: ({ series_24h }) => <Sparkline values={series_24h} width={94} height={22} />,
  events: ({ count }) => <Count value={count} unit="event" />,
  users: ({ user_count }) => <Count value={user_count} unit="user" />,
  last_seen: ({ last_seen }) => <Time at={last_seen} />,
  first_seen: ({ first_seen }) => <Time at={first_seen} />,
  priority: ({ priority }) => priority,
  environments: ({ environments }) => <span class="truncate">{environments.join(', ')}</span>,
  release: ({ last_release: release }) => (
    <span class="truncate" title={release ?? undefined}>
      {release ?? '–'}
    </span>
  ),
  assignee: (issue) => <AssigneeMark issue={issue} />,
}

function Count({ value, unit }: { readonly value: number; readonly unit: string }) {
  return (
    <span title={countOf(value, unit)}>
      {value < 10_000 ? formatNumber(value) : formatCompact(value)}
      <span class="screen-reader"> {unit}s</span>
    </span>
  )
}
