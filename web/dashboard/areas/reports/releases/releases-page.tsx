import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { Button, ButtonLink } from '../../../design/button.tsx'
import { CodeBlock } from '../../../design/content/copy.tsx'
import { formatNumber } from '../../../design/content/format.ts'
import { Page, Panel } from '../../../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { WindowedList } from '../../../design/content/windowed-list.tsx'
import { SelectField } from '../../../design/forms/field.tsx'
import { type Item, usePages } from '../../../http/use-pages.ts'
import { useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { EnvironmentChoice } from '../common/environment-choice.tsx'
import { ShareBar } from '../common/numbers.tsx'
import { RangeChoice, useTimeRange } from '../common/time-range.tsx'
import { crashTone } from './crash-tone.ts'
import { releaseHref } from './release-paths.ts'
import './releases.css'

const operation = 'GET /api/v1/projects/{project_id}/releases'
type Release = Item<typeof operation>

const head = {
  row: 'release-row',
  columns: [
    '',
    'Release',
    'Crash-free sessions',
    'Crash-free users',
    'Adoption, 24 h',
    { label: 'Sessions', class: 'release-number' },
    { label: 'New issues', class: 'release-number' },
    { label: 'Events', class: 'release-number' },
    { label: 'Last event', class: 'release-number' },
  ],
}

/** Releases, most recently seen or highest version first: who uses each, how often it crashes. */
export function ReleasesPage() {
  const project_id = useProjectId()
  const { get, set } = useSearchParams()
  const { route } = useLocation()
  const range = useTimeRange('7d')
  const environment = get('environment')
  const sort = get('sort') === 'version' ? 'version' : 'last_seen'
  const [first, second] = [get('first'), get('second')]
  const pages = usePages(
    operation,
    {
      params: { project_id },
      query: {
        limit: 50,
        sort,
        since: range.since,
        ...(environment === undefined ? {} : { environment }),
      },
    },
    { topics: ['releases'], keepPrevious: true },
  )
  const choose = (version: string) => {
    if (version === first) set({ first: second, second: undefined }, 'replace')
    else if (version === second) set({ second: undefined }, 'replace')
    else if (first === undefined) set({ first: version }, 'replace')
    else set({ second: version }, 'replace')
  }
  const open = ({ version }: Release) =>
    route(releaseHref(project_id, version, { range: get('range'), environment }))
  return (
    <Page
      title="Releases"
      wide
      actions={<CompareAction first={first} second={second} items={pages.items} />}
      bar={
        <>
          <RangeChoice chosen={range} />
          <EnvironmentChoice />
          <div class="reports-choice">
            <SelectField
              label="Order"
              hideLabel
              value={sort}
              choices={[
                { value: 'last_seen', label: 'Most recently seen first' },
                { value: 'version', label: 'Highest version first' },
              ]}
              onValue={(value) => set({ sort: value === 'version' ? value : undefined })}
            />
          </div>
        </>
      }
    >
      {pages.problem !== undefined && pages.items.length === 0 ? (
        <ProblemBox problem={pages.problem} onRetry={pages.refetch} />
      ) : pages.isLoading ? (
        <Skeleton />
      ) : pages.items.length === 0 ? (
        <NoReleases />
      ) : (
        <Panel flush>
          <WindowedList
            label="Releases"
            head={head}
            items={pages.items}
            keyOf={({ version }) => version}
            rowHeight={48}
            current={get('row')}
            onCurrent={(row) => set({ row }, 'replace')}
            onOpen={open}
            onSelect={({ version }) => choose(version)}
            onEnd={pages.loadMore}
            renderRow={(release) => (
              <ReleaseRow
                release={release}
                href={releaseHref(project_id, release.version, {
                  range: get('range'),
                  environment,
                })}
                isChosen={release.version === first || release.version === second}
                onChoose={() => choose(release.version)}
              />
            )}
          />
        </Panel>
      )}
    </Page>
  )
}

function CompareAction({
  first,
  second,
  items,
}: {
  readonly first: string | undefined
  readonly second: string | undefined
  readonly items: readonly Release[]
}) {
  const projectId = useProjectId()
  if (first === undefined || second === undefined) {
    return (
      <Button disabled title="Select two releases of the list">
        Compare
      </Button>
    )
  }
  // The one that was seen later is looked at, the other is what it is compared with.
  const position = (version: string) => items.findIndex((item) => item.version === version)
  const [head, base] = position(first) <= position(second) ? [first, second] : [second, first]
  return (
    <ButtonLink kind="primary" href={releaseHref(projectId, head, { compare: base })}>
      Compare
    </ButtonLink>
  )
}

function ReleaseRow({
  release,
  href,
  isChosen,
  onChoose,
}: {
  readonly release: Release
  readonly href: string
  readonly isChosen: boolean
  readonly onChoose: () => void
}) {
  const { version, health } = release
  return (
    <div class="release-row">
      <input
        type="checkbox"
        class="check"
        aria-label={`Select ${version} to compare`}
        checked={isChosen}
        onChange={onChoose}
      />
      <span class="release-name">
        <a href={href} title={version}>
          {version}
        </a>
        {release.last_deploy !== null && (
          <span class="small soft">
            {release.last_deploy.environment} · <Time at={release.last_deploy.finished_at} />
          </span>
        )}
      </span>
      <Cell label="Crash-free sessions">
        <ShareBar
          share={health.crash_free_sessions}
          digits={2}
          {...crashTone(health.crash_free_sessions)}
        />
      </Cell>
      <Cell label="Crash-free users">
        <ShareBar
          share={health.crash_free_users}
          digits={2}
          {...crashTone(health.crash_free_users)}
        />
      </Cell>
      <Cell label="Adoption, 24 h">
        <ShareBar share={health.adoption} tone="plain" />
      </Cell>
      <Cell label="Sessions" numeric>
        {formatNumber(health.sessions)}
      </Cell>
      <Cell label="New issues" numeric>
        {formatNumber(release.new_issues)}
      </Cell>
      <Cell label="Events" numeric>
        {formatNumber(release.event_count)}
      </Cell>
      <Cell label="Last event" numeric>
        {release.last_event === null ? (
          <span class="soft">–</span>
        ) : (
          <Time at={release.last_event} />
        )}
      </Cell>
    </div>
  )
}

/** The label is shown where there are no columns, and always there for screen readers. */
function Cell({
  label,
  numeric,
  children,
}: {
  readonly label: string
  readonly numeric?: boolean
  readonly children: ComponentChildren
}) {
  return (
    <span class={numeric === true ? 'release-cell release-number' : 'release-cell'}>
      <span class="release-label">{label}</span> {children}
    </span>
  )
}

const snippet = `Sentry.init({
  dsn: '…',
  release: 'shop@1.4.1',
})`

function NoReleases() {
  const projectId = useProjectId()
  return (
    <EmptyState icon="tag" title="No releases yet">
      <p>
        Name the version that runs. A release appears with its first event or session, and shows
        whether it crashes more than the one before.
      </p>
      <CodeBlock label="JavaScript" code={snippet} />
      <ButtonLink href={`/projects/${projectId}/setup`}>Set up an SDK</ButtonLink>
    </EmptyState>
  )
}
