/** The columns at the right of the list of issues. */

/** What the API sorts by. */
export const sorts = ['last_seen', 'first_seen', 'count', 'users', 'trend'] as const
export type Sort = (typeof sorts)[number]

export const columnNames = [
  'trend',
  'events',
  'users',
  'last_seen',
  'first_seen',
  'priority',
  'environments',
  'release',
  'assignee',
] as const
export type ColumnName = (typeof columnNames)[number]

export const defaultColumns: readonly ColumnName[] = [
  'trend',
  'events',
  'users',
  'last_seen',
  'first_seen',
  'assignee',
]

interface ColumnLook {
  readonly label: string
  readonly sort?: Sort
}

export const columnLooks: Readonly<Record<ColumnName, ColumnLook>> = {
  trend: { label: '24 hours', sort: 'trend' },
  events: { label: 'Events', sort: 'count' },
  users: { label: 'Users', sort: 'users' },
  last_seen: { label: 'Last seen', sort: 'last_seen' },
  first_seen: { label: 'First seen', sort: 'first_seen' },
  priority: { label: 'Priority' },
  environments: { label: 'Environments' },
  release: { label: 'Last release' },
  assignee: { label: 'Assignee' },
}

export const sortLabels: Readonly<Record<Sort, string>> = {
  last_seen: 'Last seen',
  first_seen: 'First seen',
  count: 'Events',
  users: 'Users',
  trend: 'Trend',
}
