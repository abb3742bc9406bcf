import { useState } from 'preact/hooks'
import { Menu, type MenuAction } from '../../../../design/overlays/menu.tsx'
import { useRead } from '../../../../http/use-read.ts'
import { me } from '../../../../session/session.ts'
import { defaultPeriod, labelOf, type Period, periods } from '../period.ts'
import {
  type FilterName,
  levelValues,
  readFilter,
  statusValues,
  writeFilter,
} from '../query/quick-filter.ts'

interface QuickFiltersProps {
  readonly projectId: string
  readonly query: string
  readonly onQuery: (query: string) => void
  readonly period: Period
  readonly onPeriod: (period: Period) => void
}

interface Option {
  readonly value: string | undefined
  readonly label: string
}

const valuesMax = 20

/** The usual parts of a search as menus, which read and write the query itself, and the period. */
export function QuickFilters(props: QuickFiltersProps) {
  const { projectId, query, onQuery, period, onPeriod } = props
  const [isNear, setNear] = useState(false)
  const near = { onPointerEnter: () => setNear(true), onFocusIn: () => setNear(true) }
  const environments = useValues(projectId, 'environment', isNear)
  const releases = useValues(projectId, 'release', isNear)
  const people = useRead('GET /api/v1/organization/people', {}, { enabled: isNear }).data?.items
  const teams = useRead('GET /api/v1/organization/teams', {}, { enabled: isNear }).data?.items
  const mine = me.value
  const owners: Option[] = [
    { value: undefined, label: 'Anybody' },
    ...(mine == null ? [] : [{ value: mine.email, label: 'Me' }]),
    { value: 'none', label: 'Nobody' },
    ...(teams ?? []).map(({ slug, name }) => ({ value: `#${slug}`, label: `${name} (team)` })),
    ...(people ?? [])
      .filter(({ id }) => id !== mine?.id)
      .map(({ email, name }) => ({ value: email, label: name ?? email })),
  ]
  const filter = (name: FilterName, title: string, options: readonly Option[]) => (
    <Filter
      key={name}
      name={name}
      title={title}
      options={options}
      query={query}
      onQuery={onQuery}
    />
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no row of buttons.
    <div class="issue-filters" role="group" aria-label="Filters" {...near}>
      {filter('status', 'State', [
        { value: undefined, label: 'Any state' },
        ...statusValues.map((value) => ({
          value,
          label: value === 'triage' ? 'In triage' : capital(value),
        })),
      ])}
      {filter('level', 'Level', [
        { value: undefined, label: 'Any level' },
        ...levelValues.map((value) => ({ value, label: capital(value) })),
      ])}
      {filter('assignee', 'Assignee', owners)}
      {filter('environment', 'Environment', withAny('Any environment', environments))}
      {filter('release', 'Release', withAny('Any release', releases))}
      <span class="issue-filter" data-active={period !== defaultPeriod}>
        <Menu
          label={labelOf(period)}
          kind="quiet"
          size="s"
          actions={periods.map((value) => ({
            label: labelOf(value),
            run: () => onPeriod(value),
            ...(value === period ? { icon: 'check' as const } : {}),
          }))}
        />
      </span>
    </div>
  )
}

interface FilterProps {
  readonly name: FilterName
  readonly title: string
  readonly options: readonly Option[]
  readonly query: string
  readonly onQuery: (query: string) => void
}

function Filter({ name, title, options, query, onQuery }: FilterProps) {
  const { values, isNegated } = readFilter(query, name)
  const labels = values.map((value) => options.find((one) => one.value === value)?.label ?? value)
  const text = `${isNegated ? 'not ' : ''}${labels.join(', ')}`
  const isCurrent = (value: string | undefined) =>
    value === undefined ? values.length === 0 : !isNegated && values.join() === value
  const known = new Set<string>()
  const actions: MenuAction[] = options.flatMap(({ value, label }) => {
    if (known.has(label)) return []
    known.add(label)
    const run = () => onQuery(writeFilter(query, name, value))
    return [{ label, run, ...(isCurrent(value) ? { icon: 'check' as const } : {}) }]
  })
  return (
    <span class="issue-filter" data-active={values.length > 0}>
      <Menu
        label={values.length === 0 ? title : `${title}: ${text}`}
        kind="quiet"
        size="s"
        actions={actions}
      />
    </span>
  )
}

function useValues(projectId: string, key: string, enabled: boolean): readonly string[] {
  const input = { params: { project_id: projectId, key }, query: { limit: valuesMax } }
  const read = useRead('GET /api/v1/projects/{project_id}/tags/{key}/values', input, { enabled })
  return (read.data?.items ?? []).map(({ value }) => value)
}

function withAny(label: string, values: readonly string[]): readonly Option[] {
  return [{ value: undefined, label }, ...values.map((value) => ({ value, label: value }))]
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
