import { type Column, DataTable } from '../../../design/content/data-table.tsx'
import { formatNumber, formatShare } from '../../../design/content/format.ts'
import { Panel } from '../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../design/content/states.tsx'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { Notice } from '../common/numbers.tsx'
import type { TimeRange } from '../common/time-range.tsx'
import {
  type ComparedIssue,
  type ComparedIssues,
  type ReleaseComparison,
  useComparison,
} from './compare-request.ts'
import { differenceWords, healthDifference } from './difference-words.ts'
import { LevelBadge } from './release-issues.tsx'
import { releaseHref } from './release-paths.ts'

/** Two releases side by side, and the issues that only one of them has. */
export function Comparison({
  head,
  base,
  range,
  environment,
}: {
  readonly head: string
  readonly base: string
  readonly range: TimeRange & { readonly since: string }
  readonly environment: string | undefined
}) {
  const project_id = useProjectId()
  const read = useComparison(
    { project_id, release: head },
    { base, since: range.since, ...(environment === undefined ? {} : { environment }) },
  )
  return (
    <Loaded read={read}>
      {(comparison) => (
        <>
          <p class="reports-lead">{differenceWords(comparison)}</p>
          {comparison.truncated && (
            <Notice>Only the 10,000 most frequent grouping hashes were compared.</Notice>
          )}
          <Panel title="Side by side" flush>
            <SideBySide comparison={comparison} />
          </Panel>
          <IssueTable
            title={`Only in ${head}`}
            none={`Every issue of ${head} is in ${base}, too.`}
            issues={comparison.new_issues}
            counted="head"
          />
          <IssueTable
            title={`More frequent in ${head}`}
            none={`No issue is at least 1.5 times as frequent, per ${comparison.scale === 'sessions' ? 'session' : 'hour'}, as in ${base}.`}
            issues={comparison.more_frequent}
            counted="both"
          />
          <IssueTable
            title={`Only in ${base}`}
            none={`Every issue of ${base} is in ${head}, too.`}
            issues={comparison.absent_issues}
            counted="base"
          />
        </>
      )}
    </Loaded>
  )
}

function SideBySide({ comparison }: { readonly comparison: ReleaseComparison }) {
  const projectId = useProjectId()
  const { base, head } = comparison
  const rate = (value: number | null) => (value === null ? '–' : formatShare(value, 2))
  const rows = [
    {
      name: 'Crash-free sessions',
      base: rate(base.health.crash_free_sessions),
      head: rate(head.health.crash_free_sessions),
      difference: healthDifference(comparison.crash_free_sessions_difference),
    },
    {
      name: 'Crash-free users',
      base: rate(base.health.crash_free_users),
      head: rate(head.health.crash_free_users),
      difference: healthDifference(comparison.crash_free_users_difference),
    },
    ...(['sessions', 'users', 'crashed'] as const).map((key) => ({
      name: { sessions: 'Sessions', users: 'Users', crashed: 'Crashed sessions' }[key],
      base: formatNumber(base.health[key]),
      head: formatNumber(head.health[key]),
      difference: undefined,
    })),
    {
      name: 'Events',
      base: formatNumber(base.events),
      head: formatNumber(head.events),
      difference: undefined,
    },
    {
      name: 'Issues',
      base: formatNumber(base.issues),
      head: formatNumber(head.issues),
      difference: undefined,
    },
  ]
  return (
    <div class="table-scroll">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">
              <span class="screen-reader">Measure</span>
            </th>
            <th scope="col" class="numeric">
              <a href={releaseHref(projectId, base.version)}>{base.version}</a>
            </th>
            <th scope="col" class="numeric">
              <a href={releaseHref(projectId, head.version)}>{head.version}</a>
            </th>
            <th scope="col" class="numeric">
              Difference
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row" class="release-measure">
                {row.name}
              </th>
              <td class="numeric">{row.base}</td>
              <td class="numeric">{row.head}</td>
              <td class="numeric">
                {row.difference !== undefined && (
                  <span class={`release-${row.difference.tone}`}>{row.difference.text}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function IssueTable({
  title,
  none,
  issues,
  counted,
}: {
  readonly title: string
  readonly none: string
  readonly issues: ComparedIssues
  readonly counted: 'base' | 'head' | 'both'
}) {
  const projectId = useProjectId()
  const columns: Column<ComparedIssue>[] = [
    {
      head: 'Issue',
      cell: (issue) => (
        <>
          <a href={projectPath(projectId, `issues/${issue.id}`)}>{issue.title}</a>
          <div class="soft">
            {issue.short_id}
            {issue.culprit !== '' && ` · ${issue.culprit}`}
          </div>
        </>
      ),
    },
    { head: 'Level', secondary: true, cell: ({ level }) => <LevelBadge level={level} /> },
    { head: 'Status', secondary: true, cell: ({ status }) => status },
  ]
  if (counted === 'both') {
    columns.push(
      { head: 'Before', numeric: true, cell: (issue) => formatNumber(issue.base_events) },
      { head: 'Now', numeric: true, cell: (issue) => formatNumber(issue.head_events) },
      {
        head: 'Rate',
        numeric: true,
        cell: ({ factor }) =>
          factor === null ? '–' : `× ${factor.toLocaleString('en', { maximumFractionDigits: 1 })}`,
      },
    )
  } else {
    columns.push({
      head: 'Events',
      numeric: true,
      cell: (issue) => formatNumber(counted === 'head' ? issue.head_events : issue.base_events),
    })
  }
  return (
    <Panel title={`${title} (${formatNumber(issues.count)})`} flush>
      {issues.items.length === 0 ? (
        <EmptyState icon="check" title={none} />
      ) : (
        <DataTable label={title} items={issues.items} keyOf={({ id }) => id} columns={columns} />
      )}
    </Panel>
  )
}
