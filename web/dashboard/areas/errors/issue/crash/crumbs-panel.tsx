import { useMemo, useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { formatExact } from '../../../../design/content/format.ts'
import { Panel } from '../../../../design/content/page.tsx'
import { SelectField, TextField } from '../../../../design/forms/field.tsx'
import { shortText } from '../../../../design/text/visible-text.ts'
import { axisPosition, axisTicks, crumbOffsets, formatOffset } from '../payload/crumb-times.ts'
import type { EventCrumb } from '../payload/read-event.ts'
import { Value, ValueTable } from './value-view.tsx'

const shownAtFirst = 12
const levelColors: ReadonlyMap<string, string> = new Map([
  ['fatal', 'danger'],
  ['error', 'danger'],
  ['warning', 'warning'],
])

interface TimedCrumb {
  readonly crumb: EventCrumb
  /** Milliseconds before the crash. */
  readonly offset: number | undefined
  readonly key: number
}

/** What happened before, the newest first, with the time that passed until the crash. */
export function CrumbsPanel({
  crumbs,
  crashAt,
}: {
  readonly crumbs: readonly EventCrumb[]
  readonly crashAt: string
}) {
  const [text, setText] = useState('')
  const [type, setType] = useState('')
  const [level, setLevel] = useState('')
  const [isAll, setAll] = useState(false)
  const timed = useMemo(() => {
    const offsets = crumbOffsets(
      crumbs.map(({ at }) => at),
      crashAt,
    )
    return crumbs.map((crumb, key) => ({ crumb, offset: offsets[key], key })).toReversed()
  }, [crumbs, crashAt])
  const found = timed.filter(({ crumb }) => matches(crumb, { text, type, level }))
  const shown = isAll || text !== '' ? found : found.slice(0, shownAtFirst)
  const hasFilters = crumbs.length > 5
  return (
    <Panel title={`Breadcrumbs (${crumbs.length})`} flush>
      <TimeAxis crumbs={found} />
      {hasFilters && (
        <div class="issue-crumb-filters">
          <TextField
            label="Search the breadcrumbs"
            hideLabel
            type="search"
            placeholder="Search the breadcrumbs"
            value={text}
            onText={setText}
          />
          <SelectField
            label="Category"
            hideLabel
            value={type}
            choices={choicesOf('All categories', timed, ({ crumb }) => kindOf(crumb))}
            onValue={setType}
          />
          <SelectField
            label="Level"
            hideLabel
            value={level}
            choices={choicesOf('All levels', timed, ({ crumb }) => crumb.level)}
            onValue={setLevel}
          />
        </div>
      )}
      <ol class="issue-crumbs">
        <li class="issue-crumb issue-crumb-crash">
          <span class="issue-crumb-time">0</span>
          <span class="issue-dot" data-level="danger" />
          <strong>The crash</strong>
        </li>
        {shown.map((entry) => (
          <CrumbRow key={entry.key} crumb={entry.crumb} offset={entry.offset} />
        ))}
      </ol>
      {found.length === 0 && <p class="soft small issue-exception-empty">No breadcrumb fits.</p>}
      {shown.length < found.length && (
        <p class="issue-frames-more">
          <Button size="s" onClick={() => setAll(true)}>
            Show all {found.length}
          </Button>
        </p>
      )}
    </Panel>
  )
}

function CrumbRow({ crumb, offset }: Pick<TimedCrumb, 'crumb' | 'offset'>) {
  const request = requestLine(crumb.data)
  const data = Object.entries(crumb.data).filter(
    ([name]) => request === undefined || !requestFields.has(name),
  )
  return (
    <li class="issue-crumb">
      <time
        class="issue-crumb-time"
        title={crumb.at === undefined ? 'Sent without a time' : formatExact(crumb.at)}
      >
        {offset === undefined ? '–' : formatOffset(offset)}
      </time>
      <span class="issue-dot" data-level={levelColors.get(crumb.level) ?? 'plain'} />
      <div class="issue-crumb-text">
        <p>
          <span class="issue-crumb-kind">{shortText(kindOf(crumb), 60)}</span>
          {crumb.level !== 'info' && <span class="soft"> {shortText(crumb.level, 20)}</span>}
        </p>
        {crumb.message !== undefined && <Value value={crumb.message} isOpen />}
        {request !== undefined && <Value value={request} isOpen />}
        {data.length > 0 && <ValueTable label="Data" values={data} />}
      </div>
    </li>
  )
}

/** Dots on a logarithmic axis; the table below has the same for those who do not see it. */
function TimeAxis({ crumbs }: { readonly crumbs: readonly TimedCrumb[] }) {
  const dots = crumbs.filter(
    (entry): entry is TimedCrumb & { readonly offset: number } =>
      entry.offset !== undefined && entry.offset >= 0,
  )
  const oldest = Math.max(0, ...dots.map(({ offset }) => offset))
  if (dots.length < 2 || oldest < 2) return null
  return (
    <div class="issue-axis" aria-hidden="true">
      <div class="issue-axis-line">
        {dots.map(({ key, offset, crumb }) => (
          <span
            key={key}
            class="issue-dot"
            data-level={levelColors.get(crumb.level) ?? 'plain'}
            title={`${formatOffset(offset)} ${shortText(crumb.message ?? kindOf(crumb), 80)}`}
            style={{ left: percent(axisPosition(offset, oldest)) }}
          />
        ))}
        <span class="issue-dot issue-axis-crash" data-level="danger" style={{ left: '100%' }} />
      </div>
      <div class="issue-axis-ticks">
        {axisTicks(oldest).map(({ label, position }) => (
          <span key={label} style={{ left: percent(position) }}>
            {label}
          </span>
        ))}
        <span style={{ left: '100%' }}>crash</span>
      </div>
    </div>
  )
}

const requestFields: ReadonlySet<string> = new Set(['method', 'url', 'status_code'])

/** `POST /checkout → 500`, of requests that a client has sent. */
function requestLine({ method, url, status_code: status }: EventCrumb['data']): string | undefined {
  if (typeof url !== 'string') return undefined
  const name = typeof method === 'string' ? `${method} ${url}` : url
  return typeof status === 'number' || typeof status === 'string' ? `${name} → ${status}` : name
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`
}

function kindOf(crumb: EventCrumb): string {
  return crumb.category ?? crumb.type
}

function matches(
  crumb: EventCrumb,
  { text, type, level }: { readonly text: string; readonly type: string; readonly level: string },
): boolean {
  if (type !== '' && kindOf(crumb) !== type) return false
  if (level !== '' && crumb.level !== level) return false
  if (text === '') return true
  const all = `${kindOf(crumb)} ${crumb.message ?? ''} ${JSON.stringify(crumb.data)}`
  return all.toLowerCase().includes(text.toLowerCase())
}

function choicesOf(
  every: string,
  crumbs: readonly TimedCrumb[],
  nameOf: (crumb: TimedCrumb) => string,
) {
  const names = [...new Set(crumbs.map(nameOf))].sort()
  return [
    { value: '', label: every },
    ...names.map((name) => ({ value: name, label: shortText(name, 40) })),
  ]
}
