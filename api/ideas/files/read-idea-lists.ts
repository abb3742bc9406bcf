/**
 * Reads voters, comments, events and users of one idea. There may be hundreds of thousands, so they
 * are read in slices.
 */
import { type FileIdea, fileLists } from '#schemas/rest/portal/idea-file.ts'
import { JsonFileError, readWholeJson } from '../../files/json-reader.ts'
import { inSlices, mapInSlices } from '../../files/slices.ts'
import {
  checkedPart,
  exactText,
  isObject,
  Problem,
  personIn,
  type Row,
  splitAt,
  type TimeOf,
  textOf,
} from './row-cells.ts'

type ListName = keyof typeof fileLists

export async function checkedLists(lists: Record<ListName, readonly object[]>) {
  const checked = async <Name extends ListName>(name: Name) => {
    const { item, max } = fileLists[name]
    const list = lists[name]
    if (max < list.length) throw new Problem(name, `must have at most ${max} items`)
    return mapInSlices(list, (one, index) => checkedPart(item, one, `${name}.${index}`)) as Promise<
      FileIdea[Name]
    >
  }
  return {
    voters: await checked('voters'),
    comments: await checked('comments'),
    events: await checked('events'),
    users: await checked('users'),
    notice_optouts: await checked('notice_optouts'),
  }
}

/** Splits at `|` only, because ids of users may contain spaces and commas. */
export async function votersOf(value: unknown, time: TimeOf): Promise<object[]> {
  const list = typeof value === 'string' ? ((await longArray(value)) ?? splitAt(value, '|')) : value
  if (list === undefined) return []
  if (!Array.isArray(list)) throw new Problem('voters', 'must be a list')
  const seen = new Set<unknown>()
  const voters: object[] = []
  for await (const one of inSlices<unknown>(list)) {
    const voter = isObject(one)
      ? {
          ...one,
          enduser_id: one['enduser_id'] ?? one['id'],
          voted_at: time('voters.voted_at', one['voted_at']),
        }
      : { enduser_id: typeof one === 'number' ? String(one) : one }
    if (!seen.has(voter.enduser_id)) voters.push(voter)
    seen.add(voter.enduser_id)
  }
  return voters
}

export function rowVoter(value: unknown): object[] {
  const id = textOf('voter', value)
  return id === undefined ? [] : [{ enduser_id: id }]
}

export function rowVoterUser(email: unknown, name: unknown): object[] {
  const id = textOf('voter', email)
  return id === undefined ? [] : [{ enduser_id: id, email: id, name: textOf('voter_name', name) }]
}

export async function commentsOf(value: unknown, time: TimeOf): Promise<object[]> {
  const comments: object[] = []
  const add = async (list: unknown, parent: unknown) => {
    for await (const one of inSlices(await objectsIn('comments', list))) {
      const author = personIn(one['author'] ?? one['user'])
      const name = one['author_name'] ?? author?.name
      const id = textOf('comments.id', one['id'])
      comments.push({
        ...one,
        id,
        parent_id: textOf('comments.parent_id', one['parent_id'] ?? one['parentID'] ?? parent),
        body: one['body'] ?? one['value'] ?? one['content'] ?? one['text'] ?? '',
        author_id: exactText('comments.author_id', one['author_id'] ?? author?.id),
        author_name: name,
        author_email: one['author_email'] ?? author?.email,
        ...times(one, ['created_at', 'updated_at', 'deleted_at'], time, 'comments'),
        created_at: time(
          'comments.created_at',
          one['created_at'] ?? one['createdAt'] ?? one['created'],
        ),
      })
      if (one['replies'] !== undefined) await add(one['replies'], id)
    }
  }
  await add(value, undefined)
  return comments
}

export async function eventsOf(value: unknown, time: TimeOf): Promise<object[]> {
  return mapInSlices(await objectsIn('events', value), (one) => ({
    ...one,
    ...times(one, ['at'], time, 'events'),
  }))
}

export async function usersOf(value: unknown, more: object[], time: TimeOf): Promise<object[]> {
  const users: object[] = await mapInSlices(await objectsIn('users', value), (one) => ({
    ...one,
    ...times(one, ['blocked_at', 'created_at', 'last_seen_at'], time, 'users'),
  }))
  return users.concat(more)
}

export async function optoutsOf(value: unknown, time: TimeOf): Promise<object[]> {
  return mapInSlices(await objectsIn('notice_optouts', value), (one) => ({
    ...one,
    ...times(one, ['at'], time, 'notice_optouts'),
  }))
}

function times(one: Row, names: readonly string[], time: TimeOf, field: string) {
  return Object.fromEntries(names.map((name) => [name, time(`${field}.${name}`, one[name])]))
}

async function objectsIn(field: string, value: unknown): Promise<Row[]> {
  const list = (typeof value === 'string' ? await longCell(field, value) : value) ?? []
  if (!Array.isArray(list) || !list.every(isObject))
    throw new Problem(field, 'must be a list of objects')
  return list
}

async function longCell(field: string, text: string): Promise<unknown[]> {
  const list = await longArray(text)
  if (list === undefined) throw new Problem(field, 'must be a JSON array')
  return list
}

/** Like `jsonArray`, for lists of any length. */
async function longArray(text: string): Promise<unknown[] | undefined> {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const read = await readWholeJson(text)
    return Array.isArray(read) ? read : undefined
  } catch (error) {
    if (error instanceof JsonFileError) return undefined
    throw error
  }
}
