import { useMemo } from 'preact/hooks'
import { type Series, TimeChart } from '../../../../design/charts/time-chart.tsx'
import { DataTable } from '../../../../design/content/data-table.tsx'
import { formatNumber, formatShare } from '../../../../design/content/format.ts'
import { Panel } from '../../../../design/content/page.tsx'
import { Loaded } from '../../../../design/content/states.tsx'
import type { Reply } from '../../../../http/request.ts'
import { useRead } from '../../../../http/use-read.ts'
import { type Progress, useProgress } from '../sending/progress-panel.tsx'
import { LossesPanel } from './losses-panel.tsx'
import { notTracked } from './not-tracked.ts'

type Results = Reply<'GET /api/v1/admin/email/campaigns/{campaign_id}/results'>

const pollMs = 30_000

/** What a campaign achieved, and what is not known. */
export function ResultsTab({
  campaignId,
  newsletter,
}: {
  readonly campaignId: string
  readonly newsletter: string
}) {
  const progress = useProgress(campaignId)
  const results = useRead(
    'GET /api/v1/admin/email/campaigns/{campaign_id}/results',
    { params: { campaign_id: campaignId } },
    { topics: ['campaigns'], refetchEveryMs: pollMs },
  )
  return (
    <Loaded read={results} lines={8}>
      {(data) => (
        <div class="stack results">
          <Sums results={data} progress={progress.data} />
          <NotTracked results={data} newsletter={newsletter} />
          {data.series.length > 1 && linesOf(data).length > 0 && (
            <Panel title={data.step === 'hour' ? 'By hour' : 'By day'}>
              <Chart results={data} />
            </Panel>
          )}
          {data.series.filter(({ sent }) => sent > 0).length > 1 && (
            <Panel title={data.step === 'hour' ? 'Sent by hour' : 'Sent by day'}>
              <SentChart results={data} />
            </Panel>
          )}
          {data.tracks.clicks && data.links.length > 0 && (
            <Panel title="Links" flush>
              <Links results={data} />
            </Panel>
          )}
          <LossesPanel campaignId={campaignId} />
        </div>
      )}
    </Loaded>
  )
}

function Sums({
  results,
  progress,
}: {
  readonly results: Results
  readonly progress: Progress | undefined
}) {
  const { tracks, opens, clicks, unsubscribes, people } = results
  const sent = progress?.sent ?? 0
  const shareOf = (count: number) =>
    sent === 0 ? undefined : `${formatShare(count / sent)} of sent`
  return (
    <dl class="sums">
      {tracks.opens && (
        <Sum
          name="Opens"
          value={opens.human}
          note={
            people === null
              ? `at most; ${formatNumber(opens.total - opens.human)} more by machines`
              : `${formatNumber(people.opened)} people, ${shareOf(people.opened) ?? '–'}`
          }
        />
      )}
      {tracks.clicks && (
        <Sum
          name="Clicks"
          value={clicks.human}
          note={
            people === null
              ? `${formatNumber(clicks.total - clicks.human)} more by machines`
              : `${formatNumber(people.clicked)} people, ${shareOf(people.clicked) ?? '–'}`
          }
        />
      )}
      <Sum name="Unsubscribed" value={unsubscribes} note={shareOf(unsubscribes)} />
      <Sum name="Bounced" value={progress?.bounced ?? 0} note={shareOf(progress?.bounced ?? 0)} />
      <Sum
        name="Complaints"
        value={progress?.complained ?? 0}
        note={shareOf(progress?.complained ?? 0)}
      />
    </dl>
  )
}

function Sum({
  name,
  value,
  note,
}: {
  readonly name: string
  readonly value: number
  readonly note?: string | undefined
}) {
  return (
    <div class="sum">
      <dt>{name}</dt>
      <dd>{formatNumber(value)}</dd>
      {note !== undefined && <dd class="small soft">{note}</dd>}
    </div>
  )
}

function NotTracked({
  results,
  newsletter,
}: {
  readonly results: Results
  readonly newsletter: string
}) {
  const sentences = notTracked(results)
  return (
    <p class="small soft">
      {sentences.join(' ')}{' '}
      <a class="text-link" href={`/email/newsletters/${encodeURIComponent(newsletter)}`}>
        Tracking of the newsletter
      </a>
    </p>
  )
}

type Point = Results['series'][number]

/** What left: shown only if there is any. */
const losses: readonly (readonly [string, Exclude<keyof Point, 'at'>, number])[] = [
  ['Hard bounces', 'hardBounces', 4],
  ['Soft bounces', 'softBounces', 3],
  ['Complaints', 'complaints', 5],
  ['Unsubscribed', 'unsubscribes', 6],
]

function linesOf({ series, tracks }: Results): Series[] {
  const line = (name: string, key: Exclude<keyof Point, 'at'>, color: number) => ({
    name,
    color,
    values: series.map((point) => point[key]),
  })
  return [
    ...(tracks.opens ? [line('Opens', 'opens', 1)] : []),
    ...(tracks.clicks ? [line('Clicks', 'clicks', 2)] : []),
    ...losses
      .filter(([, key]) => series.some((point) => point[key] > 0))
      .map(([name, key, color]) => line(name, key, color)),
  ]
}

function Chart({ results }: { readonly results: Results }) {
  const { series } = results
  const times = useMemo(() => series.map(({ at }) => at), [series])
  const lines = useMemo(() => linesOf(results), [series])
  return <TimeChart label="Results over time" times={times} series={lines} height={220} />
}

/** On its own: its numbers would flatten all others. */
function SentChart({ results: { series } }: { readonly results: Results }) {
  const times = useMemo(() => series.map(({ at }) => at), [series])
  const lines = useMemo(
    () => [{ name: 'Sent', color: 1, values: series.map(({ sent }) => sent) }],
    [series],
  )
  return <TimeChart label="Sent over time" times={times} series={lines} kind="bars" height={160} />
}

function Links({ results: { links, clicks } }: { readonly results: Results }) {
  const sorted = links
    .map((link, index) => ({ ...link, index }))
    .sort((a, b) => b.human - a.human || a.index - b.index)
  return (
    <DataTable
      label="Links of the email"
      items={sorted}
      keyOf={({ index }) => String(index)}
      columns={[
        {
          head: 'Address',
          cell: ({ url }) => (
            <a href={url} target="_blank" rel="noreferrer noopener" class="result-link">
              {url}
            </a>
          ),
        },
        { head: 'Clicks', numeric: true, cell: ({ human }) => formatNumber(human) },
        {
          head: 'Share',
          numeric: true,
          cell: ({ human }) => (clicks.human === 0 ? '–' : formatShare(human / clicks.human, 0)),
        },
        {
          head: 'By machines',
          numeric: true,
          secondary: true,
          cell: ({ human, total }) => formatNumber(total - human),
        },
      ]}
    />
  )
}
