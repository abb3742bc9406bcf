import { useRoute } from 'preact-iso'
import { Badge } from '../../../design/content/badge.tsx'
import { Page, Panel } from '../../../design/content/page.tsx'
import { Loaded } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { SelectField } from '../../../design/forms/field.tsx'
import { useRead } from '../../../http/use-read.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { EnvironmentChoice } from '../common/environment-choice.tsx'
import { RangeChoice, useTimeRange } from '../common/time-range.tsx'
import { Comparison } from './comparison.tsx'
import { ReleaseCommits } from './release-commits.tsx'
import { ReleaseDeploys } from './release-deploys.tsx'
import { ReleaseHealth } from './release-health.tsx'
import { ReleaseIssues } from './release-issues.tsx'
import './releases.css'

/** One release: whether people use it, whether it crashes, and what is new in it. */
export function ReleasePage() {
  const project_id = useProjectId()
  const release = useRoute().params['release'] ?? ''
  const { get } = useSearchParams()
  const range = useTimeRange('7d')
  const environment = get('environment')
  const base = get('compare')
  const read = useRead(
    'GET /api/v1/projects/{project_id}/releases/{release}',
    {
      params: { project_id, release },
      query: {
        since: range.since,
        interval: range.interval,
        ...(environment === undefined ? {} : { environment }),
      },
    },
    { topics: ['releases'], keepPrevious: true },
  )
  return (
    <Page
      title={release}
      parent={{ label: 'Releases', href: projectPath(project_id, 'releases') }}
      wide
      meta={
        read.data === undefined ? undefined : (
          <>
            {read.data.new_issues > 0 && (
              <Badge tone="warning">
                {read.data.new_issues} new {read.data.new_issues === 1 ? 'issue' : 'issues'}
              </Badge>
            )}
            <span>
              first event{' '}
              {read.data.first_event === null ? 'not yet' : <Time at={read.data.first_event} />}
            </span>
            {read.data.date_released !== null && (
              <span>
                released <Time at={read.data.date_released} />
              </span>
            )}
            {read.data.url !== null && (
              <a href={read.data.url} rel="noreferrer noopener" target="_blank">
                About this release
              </a>
            )}
          </>
        )
      }
      bar={
        <>
          <RangeChoice chosen={range} />
          <EnvironmentChoice />
          <CompareChoice release={release} base={base} />
        </>
      }
    >
      {base !== undefined && base !== release ? (
        <Comparison head={release} base={base} range={range} environment={environment} />
      ) : (
        <Loaded read={read}>
          {(data) => (
            <>
              <ReleaseHealth release={data} interval={range.interval} />
              <ReleaseIssues release={release} environment={environment} />
              <Panel title="Deploys" flush={data.deploys.length > 0}>
                <ReleaseDeploys release={data} />
              </Panel>
              <Panel title="Commits">
                <ReleaseCommits release={data} />
              </Panel>
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}

function CompareChoice({
  release,
  base,
}: {
  readonly release: string
  readonly base: string | undefined
}) {
  const project_id = useProjectId()
  const { set } = useSearchParams()
  const read = useRead('GET /api/v1/projects/{project_id}/releases', {
    params: { project_id },
    query: { limit: 50 },
  })
  const versions = (read.data?.items ?? [])
    .map(({ version }) => version)
    .filter((version) => version !== release)
  const names = base === undefined || versions.includes(base) ? versions : [base, ...versions]
  return (
    <div class="reports-choice">
      <SelectField
        label="Compare with"
        hideLabel
        value={base ?? ''}
        choices={[
          { value: '', label: base === undefined ? 'Compare with…' : 'Do not compare' },
          ...names.map((name) => ({ value: name, label: `Compare with ${name}` })),
        ]}
        onValue={(compare) => set({ compare })}
      />
    </div>
  )
}
