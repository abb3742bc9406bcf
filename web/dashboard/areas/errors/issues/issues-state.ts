/** What the list shows, kept in the address: `?query=…&period=…&sort=…&columns=…`. */
import { useCallback, useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { type ColumnName, columnNames, defaultColumns, type Sort, sorts } from './list/columns.ts'
import { defaultPeriod, type Period, periods } from './period.ts'

export const groupings = ['none', 'level', 'release'] as const
export type Grouping = (typeof groupings)[number]

export interface IssuesState {
  readonly query: string
  readonly period: Period
  readonly sort: Sort
  readonly group: Grouping
  readonly columns: readonly ColumnName[]
}

export const defaultQuery = 'is:unresolved'
const defaults: IssuesState = {
  query: defaultQuery,
  period: defaultPeriod,
  sort: 'last_seen',
  group: 'none',
  columns: defaultColumns,
}

/** An address without `query` shows unresolved issues; an empty `query` shows all. */
export function readState(search: string): IssuesState {
  const params = new URLSearchParams(search)
  const columns = params.get('columns')?.split(',') ?? defaultColumns
  return {
    query: params.get('query') ?? defaults.query,
    period: periods.find((period) => period === params.get('period')) ?? defaults.period,
    sort: sorts.find((sort) => sort === params.get('sort')) ?? defaults.sort,
    group: groupings.find((group) => group === params.get('group')) ?? defaults.group,
    columns: columnNames.filter((name) => columns.includes(name)),
  }
}

/** Only what differs from the default. */
export function writeState({ query, period, sort, group, columns }: IssuesState): string {
  const params = new URLSearchParams()
  if (query !== defaults.query) params.set('query', query)
  if (period !== defaults.period) params.set('period', period)
  if (sort !== defaults.sort) params.set('sort', sort)
  if (group !== defaults.group) params.set('group', group)
  if (columns.join() !== defaults.columns.join()) params.set('columns', columns.join())
  return params.toString()
}

export function useIssuesState(): readonly [IssuesState, (change: Partial<IssuesState>) => void] {
  const { url, route } = useLocation()
  const search = url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
  const state = useMemo(() => readState(search), [search])
  const change = useCallback(
    (given: Partial<IssuesState>) => {
      // The address may have changed since the last render.
      const text = writeState({ ...readState(location.search), ...given })
      route(text === '' ? location.pathname : `${location.pathname}?${text}`)
    },
    [route],
  )
  return [state, change]
}
