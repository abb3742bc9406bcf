/** The columns of the list of events that a person can choose; the address holds the choice. */
import type { Item } from '../../../../http/use-pages.ts'
import type { eventsRead } from '../issue-reads.ts'

export type EventItem = Item<typeof eventsRead>

const fieldColumns = {
  level: ({ level }: EventItem) => level,
  release: ({ release }: EventItem) => release ?? '',
  environment: ({ environment }: EventItem) => environment ?? '',
  user: ({ user }: EventItem) => user?.email ?? user?.name ?? user?.id ?? user?.ip ?? '',
  component: ({ component }: EventItem) => component ?? '',
} as const

export const columnsAtFirst: readonly string[] = ['release', 'environment', 'user']
const columnsMax = 6

/** `release,tag:queue`. Unknown names are left out. */
export function readColumns(text: string | undefined): readonly string[] {
  if (text === undefined) return columnsAtFirst
  const names = text
    .split(',')
    .filter((name) => Object.hasOwn(fieldColumns, name) || name.startsWith('tag:'))
  return [...new Set(names)].slice(0, columnsMax)
}

export function writeColumns(columns: readonly string[]): string | undefined {
  const text = columns.join(',')
  return text === columnsAtFirst.join(',') ? undefined : text || 'none'
}

export function columnChoices(tags: readonly string[]): readonly string[] {
  return [...Object.keys(fieldColumns), ...tags.map((tag) => `tag:${tag}`)]
}

export function columnTitle(column: string): string {
  const name = column.startsWith('tag:') ? column.slice(4) : column
  return column.startsWith('tag:') ? name : name.charAt(0).toUpperCase() + name.slice(1)
}

export function columnText(column: string, event: EventItem): string {
  if (column.startsWith('tag:')) {
    const tag = column.slice(4)
    return Object.hasOwn(event.tags, tag) ? (event.tags[tag] ?? '') : ''
  }
  return fieldColumns[column as keyof typeof fieldColumns]?.(event) ?? ''
}
