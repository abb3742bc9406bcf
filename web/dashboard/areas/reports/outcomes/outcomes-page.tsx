import { useMemo } from 'preact/hooks'
import { ButtonLink } from '../../../design/button.tsx'
import { Sparkline } from '../../../design/charts/sparkline.tsx'
import { TimeChart } from '../../../design/charts/time-chart.tsx'
import { Badge, FilterChip } from '../../../design/content/badge.tsx'
import { formatNumber, formatShare } from '../../../design/content/format.ts'
import { Page, Panel } from '../../../design/content/page.tsx'
import { EmptyState, Loaded } from '../../../design/content/states.tsx'
import { SelectField } from '../../../design/forms/field.tsx'
import { useRead } from '../../../http/use-read.ts'
import { projectPath, useProjectId } from '../../../url/use-project.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { Numbers, ShareBar } from '../common/numbers.tsx'
import { type ChosenRange, RangeChoice, useTimeRange } from '../common/time-range.tsx'
import { Breakdown } from './breakdown.tsx'
import {
  answerWords,
  categoriesWords,
  dropSeries,
  type OutcomeRow,
  type ReasonRow,
  receivedSeries,
  splitNames,
  splitSeries,
  splits,
  sumOutcomes,
  timesOf,
} from './outcome-sums.ts'
import { outcomeTone } from './outcome-tone.ts'
import { ReasonDialog } from './reason-dialog.tsx'
import { categoryNames, outcomeNames, reasonWords } from './reason-words.ts'
import { useValueNames } from './value-names.ts'
import './outcomes.css'

const operation = 'GET /api/v1/projects/{project_id}/outcomes'
const refetchMs = 30_000

/** What was received, what was dropped, and why. */
export function OutcomesPage() {
  const project_id = useProjectId()
  const { get, set } = useSearchParams()
  const span = useTimeRange('24h')
  // Up to 31 days can be shown by hour.
  const by = get('by') === 'day' || get('by') === 'hour' ? get('by') : undefined
  const isFixed = span.hours <= 24 || span.hours > 31 * 24
  const interval = isFixed || by === undefined ? span.interval : (by as 'hour' | 'day')
  const range = { ...span, interval }
  const sdk = get('sdk')
  // The server leaves out the other SDKs, so that fewer rows are read.
  const ofSdk = sdk === undefined ? {} : { sdk: sdk === 'none' ? '' : sdk }
  const read = useRead(
    operation,
    {
      params: { project_id },
      query: {
        since: range.since,
        interval: range.interval,
        group_by: 'outcome,reason,category,component,sdk,key',
        ...ofSdk,
      },
    },
    { topics: ['events'], keepPrevious: true, refetchEveryMs: refetchMs },
  )
  // Many keys, components and SDKs in many hours are more rows than the server gives: by day then.
  const isTooMuch =
    read.problem !== undefined && 'status' in read.problem && read.problem.status === 400
  const byDay = useRead(
    operation,
    {
      params: { project_id },
      query: { since: range.since, interval: 'day', group_by: 'outcome,reason,category', ...ofSdk },
    },
    { enabled: isTooMuch, keepPrevious: true },
  )
  const items = (isTooMuch ? byDay : read).data?.items ?? []
  const categories = [...new Set(items.flatMap(({ category }) => category ?? []))].sort()
  return (
    <Page
      title="Outcomes"
      bar={
        <>
          <RangeChoice chosen={range} />
          {!isFixed && (
            <div class="reports-choice">
              <SelectField
                label="Interval"
                hideLabel
                value={interval}
                choices={[
                  { value: 'hour', label: 'By hour' },
                  { value: 'day', label: 'By day' },
                ]}
                onValue={(value) => set({ by: value === span.interval ? undefined : value })}
              />
            </div>
          )}
          <div class="reports-choice">
            <SelectField
              label="Items"
              hideLabel
              value={get('category') ?? ''}
              choices={[
                { value: '', label: 'All items' },
                ...categories.map((value) => ({ value, label: categoryNames[value] ?? value })),
              ]}
              onValue={(category) => set({ category })}
            />
          </div>
          <Filters />
        </>
      }
    >
      <Loaded read={isTooMuch ? byDay : read}>
        {(report) => (
          <Report items={report.items} range={isTooMuch ? { ...range, interval: 'day' } : range} />
        )}
      </Loaded>
    </Page>
  )
}

/** Filters by component, SDK and key, which rows of the tables set. */
function Filters() {
  const { get, set } = useSearchParams()
  const nameOf = useValueNames()
  return (
    <>
      {splits.map((by) => {
        const value = get(by)
        if (value === undefined) return null
        return (
          <FilterChip key={by} onRemove={() => set({ [by]: undefined })}>
            {splitNames[by]} {nameOf(by, value)}
          </FilterChip>
        )
      })}
    </>
  )
}

function Report({
  items,
  range,
}: {
  readonly items: readonly OutcomeRow[]
  readonly range: ChosenRange
}) {
  const projectId = useProjectId()
  const { get, set } = useSearchParams()
  const filter = { category: get('category'), component: get('component'), key: get('key') }
  const isAll = get('show') === 'all'
  const nameOf = useValueNames()
  // A report by day has only outcomes and reasons.
  const canSplit = items.some((row) => 'key' in row)
  const split = canSplit ? splits.find((by) => by === get('split')) : undefined
  const view = useMemo(() => {
    const times = timesOf(range.since, Date.now(), range.interval)
    const shown = items.filter((row) => matches(row, filter))
    const sums = sumOutcomes(shown, times)
    return { times, shown, sums }
  }, [items, range.since, range.interval, filter.category, filter.component, filter.key])
  const { sums, times, shown } = view
  const series = useMemo(() => {
    if (split === undefined) return isAll ? receivedSeries(shown, times) : dropSeries(sums)
    const without = isAll ? 'client_discard' : 'accepted'
    const drawn = shown.filter(({ outcome }) => outcome !== without)
    return splitSeries(drawn, times, split, (value) => nameOf(split, value))
  }, [view, isAll, split, nameOf])
  const opened = sums.reasons.find(({ id }) => id === get('reason'))
  if (sums.received === 0 && sums.neverSent === 0) {
    return (
      <EmptyState icon="filter" title={answerWords(sums, range.label)}>
        <p>Every item that arrives is counted here with its outcome, within about a second.</p>
        <ButtonLink href={projectPath(projectId, 'setup')}>Set up an SDK</ButtonLink>
      </EmptyState>
    )
  }
  return (
    <>
      <p class="reports-lead">{answerWords(sums, range.label)}</p>
      <Panel>
        <Numbers
          facts={[
            { name: 'Received', value: formatNumber(sums.received) },
            {
              name: 'Accepted',
              value: formatNumber(sums.accepted),
              note: sums.received === 0 ? undefined : formatShare(sums.accepted / sums.received),
            },
            {
              name: 'Dropped',
              value: formatNumber(sums.dropped),
              note: sums.received === 0 ? undefined : formatShare(sums.dropped / sums.received),
            },
            { name: 'Duplicates', value: formatNumber(sums.duplicates), note: 'stored once' },
            {
              name: 'Never sent',
              value: formatNumber(sums.neverSent),
              note: 'dropped by clients',
            },
          ]}
        />
      </Panel>
      <Panel
        title={`${isAll ? 'Received' : 'Dropped'} by ${range.interval}`}
        actions={
          <>
            {canSplit && (
              <div class="reports-choice">
                <SelectField
                  label="Split"
                  hideLabel
                  value={split ?? ''}
                  choices={[
                    { value: '', label: 'By outcome' },
                    ...splits.map((by) => ({ value: by, label: `By ${splitNames[by]}` })),
                  ]}
                  onValue={(by) => set({ split: by })}
                />
              </div>
            )}
            <div class="reports-ranges">
              <button type="button" aria-pressed={!isAll} onClick={() => set({ show: undefined })}>
                Dropped
              </button>
              <button type="button" aria-pressed={isAll} onClick={() => set({ show: 'all' })}>
                Received
              </button>
            </div>
          </>
        }
      >
        {series.length === 0 ? (
          <EmptyState icon="check" title="Nothing was dropped" />
        ) : (
          <TimeChart
            key={`${isAll} ${split} ${series.length}`}
            label={`Items by ${split === undefined ? 'outcome' : splitNames[split]} and ${range.interval}`}
            kind="stacked"
            times={times}
            series={series}
            height={200}
          />
        )}
      </Panel>
      {sums.reasons.length > 0 && (
        <Panel title="Why" flush>
          <ul class="outcome-reasons">
            {sums.reasons.map((row) => (
              <ReasonItem
                key={row.id}
                row={row}
                received={sums.received}
                onOpen={() => set({ reason: row.id })}
              />
            ))}
          </ul>
        </Panel>
      )}
      <Breakdown items={shown} />
      {opened !== undefined && (
        <ReasonDialog
          row={opened}
          items={shown}
          times={times}
          received={sums.received}
          onClose={() => set({ reason: undefined }, 'replace')}
        />
      )}
    </>
  )
}

function matches(
  row: OutcomeRow,
  filter: Readonly<Record<'category' | 'component' | 'key', string | undefined>>,
): boolean {
  return (['category', 'component', 'key'] as const).every(
    (name) => filter[name] === undefined || (row[name] ?? 'none') === filter[name],
  )
}

function ReasonItem({
  row,
  received,
  onOpen,
}: {
  readonly row: ReasonRow
  readonly received: number
  readonly onOpen: () => void
}) {
  const isSent = row.outcome !== 'client_discard'
  return (
    <li>
      <button type="button" class="outcome-row" onClick={onOpen}>
        <span class="outcome-why">
          <strong>{reasonWords(row.outcome, row.reason).title}</strong>
          <span class="soft">{categoriesWords(row)}</span>
        </span>
        <span>
          <Badge tone={outcomeTone(row.outcome)}>{outcomeNames[row.outcome] ?? row.outcome}</Badge>
        </span>
        <span class="outcome-line">
          <Sparkline values={row.values} unit="item" />
        </span>
        <span class="outcome-count">{formatNumber(row.quantity)}</span>
        <span class="outcome-share">
          {isSent && received > 0 ? (
            <ShareBar share={row.quantity / received} tone="plain" />
          ) : (
            <span class="soft">not received</span>
          )}
        </span>
      </button>
    </li>
  )
}
