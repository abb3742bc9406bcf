import { expect, test } from 'vitest'
import type { Idea } from '../common/idea.ts'
import { type IdeaListPage, placeIdea } from './place-idea.ts'

const idea = (id: string, fields: Partial<Idea> = {}): Idea => ({
  id,
  title: id,
  description: '',
  status: 'Open',
  moderation: 'published',
  tags: [],
  vote_count: 0,
  comment_count: 0,
  author: null,
  response: null,
  duplicate_of: null,
  created_at: `2026-11-0${id}T00:00:00.000Z`,
  updated_at: `2026-11-0${id}T00:00:00.000Z`,
  ...fields,
})
const page = (items: readonly Idea[], next: string | null = null): IdeaListPage => ({
  items,
  next_cursor: next,
})
const idsOf = (pages: readonly IdeaListPage[]) =>
  pages.map(({ items }) => items.map(({ id }) => id))

const moved = idea('3', { status: 'Planned', vote_count: 5 })

// biome-ignore format: the columns are the point
test.each([
  ['leaves the list of its former status', [page([idea('4'), idea('3')])], { status: 'Open', sort: 'votes' }, [['4']]],
  ['is placed by votes', [page([idea('1', { vote_count: 9 }), idea('2', { vote_count: 2 })])], { status: 'Planned', sort: 'votes' }, [['1', '3', '2']]],
  ['is placed by time among equal votes', [page([idea('4', { vote_count: 5 }), idea('2', { vote_count: 5 })])], { status: 'Planned', sort: 'votes' }, [['4', '3', '2']]],
  ['is placed by time', [page([idea('4'), idea('2', { vote_count: 99 })])], { status: 'Planned', sort: 'newest' }, [['4', '3', '2']]],
  ['is the last of a list that is loaded to its end', [page([idea('4')], 'more'), page([idea('5')])], { status: 'Planned', sort: 'newest' }, [['4'], ['5', '3']]],
  ['is not added beyond the loaded rows', [page([idea('4')], 'more')], { status: 'Planned', sort: 'newest' }, [['4']]],
  ['comes into an empty list', [page([])], { status: 'Planned', sort: 'votes' }, [['3']]],
  ['stays at its place in a list of all statuses', [page([idea('4'), idea('3'), idea('2')])], { sort: 'votes' }, [['4', '3', '2']]],
  ['is not added to a list of all statuses', [page([idea('4')])], { sort: 'votes' }, [['4']]],
  ['is not listed twice', [page([idea('4'), idea('3', { status: 'Planned' })])], { status: 'Planned', sort: 'newest' }, [['4', '3']]],
] as const)('a moved idea %s', (_, pages, query, expected) => {
  expect(idsOf(placeIdea(pages, moved, query))).toEqual(expected)
})

test('the row of the idea is the changed one', () => {
  const [first] = placeIdea([page([idea('3')])], moved, {})
  expect(first?.items[0]).toBe(moved)
})
