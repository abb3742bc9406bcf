import { Sparkline } from '../../../design/charts/sparkline.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { formatNumber } from '../../../design/content/format.ts'
import { Panel, Tabs } from '../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import type { Item } from '../../../http/use-pages.ts'
import { useRead } from '../../../http/use-read.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { issuesHref, releaseHref, searchValue } from './release-paths.ts'

const operation = 'GET /api/v1/projects/{project_id}/issues'
type Issue = Item<typeof operation>

const shownMax = 20

const views = {
  new: {
    label: 'New',
    query: (version: string) => `first_release:${version}`,
    sort: 'count' as const,
    none: 'No issue was first seen in this release.',
  },
  regressed: {
    label: 'Regressed',
    query: (version: string) => `is:regressed release:${version}`,
    sort: 'last_seen' as const,
    none: 'No resolved issue has returned with events of this release.',
  },
  frequent: {
    label: 'Most frequent',
    query: (version: string) => `release:${version}`,
    sort: 'count' as const,
    none: 'No issue has events of this release.',
  },
}

/** Issues that are new in a release, have returned in it, and are the most frequent of it. */
export function ReleaseIssues({
  release,
  environment,
}: {
  readonly release: string
  readonly environment: string | undefined
}) {
  const project_id = useProjectId()
  const { get } = useSearchParams()
  const tab = get('issues')
  const name = tab === 'regressed' || tab === 'frequent' ? tab : 'new'
  const view = views[name]
  const terms = environment === undefined ? '' : ` environment:${searchValue(environment)}`
  const query = `${view.query(searchValue(release))}${terms}`
  const read = useRead(
    operation,
    { params: { project_id }, query: { query, sort: view.sort, limit: shownMax } },
    { topics: ['issues'], keepPrevious: true },
  )
  return (
    <Panel
      title="Issues"
      flush
      actions={
        <a class="small" href={issuesHref(project_id, query, view.sort)}>
          Show in the list of issues
        </a>
      }
    >
      <div class="release-tabs">
        <Tabs
          label="Issues of the release"
          tabs={(Object.keys(views) as (keyof typeof views)[]).map((key) => ({
            label: views[key].label,
            current: key === name,
            href: releaseHref(project_id, release, {
              range: get('range'),
              environment,
              issues: key === 'new' ? undefined : key,
            }),
          }))}
        />
      </div>
      <Loaded read={read}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon="check" title={view.none} />
          ) : (
            <ul class="release-issues">
              {items.map((issue) => (
                <IssueRow key={issue.id} issue={issue} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  )
}

function IssueRow({ issue }: { readonly issue: Issue }) {
  const projectId = useProjectId()
  return (
    <li class="release-issue">
      <div class="release-issue-text">
        <a href={projectPath(projectId, `issues/${issue.id}`)}>{issue.title}</a>
        <div class="small soft">
          {issue.short_id}
          {issue.culprit !== '' && ` · ${issue.culprit}`}
        </div>
      </div>
      <span>
        <LevelBadge level={issue.level} />
      </span>
      <span class="release-issue-line">
        <Sparkline values={issue.series_24h} />
      </span>
      <span class="release-number">{formatNumber(issue.count)} events</span>
      <span class="release-number release-issue-users">{formatNumber(issue.user_count)} users</span>
      <span class="release-number soft">
        <Time at={issue.last_seen} />
      </span>
    </li>
  )
}

export function LevelBadge({ level }: { readonly level: string }) {
  const tone =
    level === 'fatal' || level === 'error' ? 'danger' : level === 'warning' ? 'warning' : 'neutral'
  return <Badge tone={tone}>{level}</Badge>
}
