/** One row of a file as an idea: columns found by name, cells taken apart, times and statuses understood. Pure. */

import type { IdeaStatus } from '#schemas/rest/idea.ts'
import { FileIdea } from '#schemas/rest/idea-file.ts'
import { shownName } from '#schemas/visible-text.ts'
import { fileTimeRule, parseFileTime } from '../../../../http/file-time.ts'
import { checkValue } from '../../../../http/validation-rules.ts'
import { checkedComments, checkedEmails, type Told } from './check-idea.ts'
import type { ColumnPlan, IdeaColumn } from './idea-columns.ts'
import { type StatusMap, statusNamed } from './status-names.ts'

export type ReadIdea =
  | {
      readonly kind: 'idea'
      readonly idea: FileIdea
      readonly notes: readonly Told[]
      readonly status: string
    }
  | { readonly kind: 'problem'; readonly problem: Told; readonly unknownStatus?: string }

export interface ReadOptions {
  readonly plan: ColumnPlan
  readonly statuses: StatusMap
  readonly now: Date
}

type Row = Readonly<Record<string, unknown>>

/** A rule that a row broke. */
class Problem extends Error {
  readonly told: Told
  readonly unknownStatus: string | undefined

  constructor(field: string, rule: string, unknownStatus?: string) {
    super(rule)
    this.told = { field, rule }
    this.unknownStatus = unknownStatus
  }
}

export function readIdeaRow(raw: unknown, options: ReadOptions): ReadIdea {
  try {
    return readRow(raw, options)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { told: problem, unknownStatus } = error
    return { kind: 'problem', problem, ...(unknownStatus === undefined ? {} : { unknownStatus }) }
  }
}

function readRow(raw: unknown, { plan, statuses, now }: ReadOptions): ReadIdea {
  if (!isObject(raw)) throw new Problem('row', 'must be an object')
  const cell = (column: IdeaColumn): unknown => {
    const name = plan.nameOf.get(column)
    const value = name === undefined ? undefined : raw[name]
    return value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value
  }
  const notes: Told[] = []
  const time = (field: string, value: unknown) => timeOf(field, value, now)

  const title = cell('title') ?? ''
  let description = cell('description')
  if (description === undefined) {
    description = title
    notes.push({ field: 'description', rule: 'was blank: the title stands for it' })
  }
  const statusText = textOf('status', cell('status')) ?? 'Open'
  const named = statusNamed(statusText, statuses)
  if (named === undefined) {
    throw new Problem(
      'status',
      `unknown status "${statusText}": map it with status_map`,
      statusText,
    )
  }
  const duplicateOf = textOf(
    'duplicate_of',
    referenceOf(cell('duplicate_of') ?? originalIn(cell('response'))),
  )
  const author = personIn(cell('author'))
  const response = responseOf(cell('response'))
  const voters = [...votersOf(cell('voters'), time), ...rowVoter(cell('voter_id'))]
  const status: IdeaStatus = duplicateOf === undefined ? named : 'Duplicate'
  const authorEmail = textOf('author_email', cell('author_email') ?? author?.email)
  const authorName = textOf('author_name', cell('author_name') ?? author?.name)

  const row = {
    id: textOf('id', cell('id')),
    title: typeof title === 'number' ? String(title) : title,
    description: typeof description === 'number' ? String(description) : description,
    status,
    status_before_merge:
      cell('status_before_merge') ??
      (named !== 'Duplicate' && status === 'Duplicate' ? named : undefined),
    moderation: cell('moderation'),
    tags: tagsOf(cell('tags')),
    tag_details: jsonCell('tag_details', cell('tag_details')),
    imported_votes: importedVotes(cell('imported_votes'), cell('vote_count'), voters.length),
    author_id:
      exactText('author_id', cell('author_id') ?? author?.id) ??
      authorEmail ??
      namedOnly(authorName),
    author_name: authorName,
    author_email: authorEmail,
    response: response.text,
    response_by: textOf('response_by', cell('response_by') ?? response.by),
    response_at: time('response_at', cell('response_at') ?? response.at),
    duplicate_of: duplicateOf,
    created_at: time('created_at', cell('created_at')),
    updated_at: time('updated_at', cell('updated_at')),
    voters,
    comments: commentsOf(cell('comments'), time),
    events: eventsOf(cell('events'), time),
    users: usersOf(cell('users'), rowVoterUser(cell('voter_id'), cell('voter_name')), time),
    notice_optouts: objectsIn('notice_optouts', cell('notice_optouts')).map((one) => ({
      ...one,
      ...times(one, ['at'], time, 'notice_optouts'),
    })),
  }
  const parsed = checkValue(FileIdea, row, 'row')
  if (!parsed.success) throw new Problem(parsed.errors[0].field, parsed.errors[0].rule)
  const idea = checkedComments(checkedEmails(parsed.data, notes), notes)
  return { kind: 'idea', idea, notes, status: statusText }
}

/** A count that is given exactly, or what a service counted beyond the voters that it names. */
function importedVotes(exact: unknown, counted: unknown, voterCount: number): number | undefined {
  if (exact !== undefined) return numberOf('imported_votes', exact)
  if (counted === undefined) return undefined
  return Math.max(0, numberOf('vote_count', counted) - voterCount)
}

function numberOf(field: string, value: unknown): number {
  const number =
    typeof value === 'string' ? Number(value.trim().replace(/(\d)[,\s](?=\d{3}\b)/g, '$1')) : value
  if (typeof number !== 'number' || !Number.isInteger(number)) {
    throw new Problem(field, 'must be a whole number')
  }
  return number
}

function timeOf(field: string, value: unknown, now: Date): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const number = typeof value === 'string' && /^\d{12,14}$/.test(value) ? Number(value) : value
  const time = parseFileTime(number, now)
  if (time === undefined) throw new Problem(field, fileTimeRule)
  return time
}
type TimeOf = (field: string, value: unknown) => string | undefined

/** Several stand with a `|` between them; Fider and UserVoice write a comma and a space. A name may hold spaces and commas. */
function tagsOf(value: unknown): unknown {
  if (typeof value === 'string') {
    const list = jsonArray(value)
    if (list !== undefined) return tagsOf(list)
    return splitAt(value, value.includes('|') ? '|' : ', ')
  }
  if (!Array.isArray(value)) return value
  return value.map((tag) => (isObject(tag) ? (tag['slug'] ?? tag['name']) : tag))
}

/** Split at `|` and nowhere else: what a project calls its users may hold spaces and commas. */
function votersOf(value: unknown, time: TimeOf): object[] {
  const list = typeof value === 'string' ? (jsonArray(value) ?? splitAt(value, '|')) : value
  if (list === undefined) return []
  if (!Array.isArray(list)) throw new Problem('voters', 'must be a list')
  const seen = new Set<unknown>()
  const voters: object[] = []
  for (const one of list) {
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

function rowVoter(value: unknown): object[] {
  const id = textOf('voter', value)
  return id === undefined ? [] : [{ enduser_id: id }]
}

function rowVoterUser(email: unknown, name: unknown): object[] {
  const id = textOf('voter', email)
  return id === undefined ? [] : [{ enduser_id: id, email: id, name: textOf('voter_name', name) }]
}

function commentsOf(value: unknown, time: TimeOf): object[] {
  const comments: object[] = []
  const add = (list: unknown, parent: unknown) => {
    for (const one of objectsIn('comments', list)) {
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
      if (one['replies'] !== undefined) add(one['replies'], id)
    }
  }
  add(value, undefined)
  return comments
}

function eventsOf(value: unknown, time: TimeOf): object[] {
  return objectsIn('events', value).map((one) => ({
    ...one,
    ...times(one, ['at'], time, 'events'),
  }))
}

function usersOf(value: unknown, more: object[], time: TimeOf): object[] {
  const users = objectsIn('users', value)
  return [
    ...users.map((one) => ({
      ...one,
      ...times(one, ['blocked_at', 'created_at', 'last_seen_at'], time, 'users'),
    })),
    ...more,
  ]
}

function times(one: Row, names: readonly string[], time: TimeOf, field: string) {
  return Object.fromEntries(names.map((name) => [name, time(`${field}.${name}`, one[name])]))
}

function objectsIn(field: string, value: unknown): Row[] {
  const list = jsonCell(field, value) ?? []
  if (!Array.isArray(list) || !list.every(isObject))
    throw new Problem(field, 'must be a list of objects')
  return list
}

/** In CSV, what has parts of its own stands as JSON in its cell. */
function jsonCell(field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const list = jsonArray(value)
  if (list === undefined) throw new Problem(field, 'must be a JSON array')
  return list
}

function jsonArray(text: string): unknown[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function splitAt(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function responseOf(value: unknown): { text?: unknown; by?: unknown; at?: unknown } {
  if (!isObject(value)) return { text: value }
  const by = value['author_name'] ?? personIn(value['user'] ?? value['author'])?.name
  return {
    text: value['body'] ?? value['text'],
    by,
    at: value['created_at'] ?? value['respondedAt'] ?? value['responded_at'],
  }
}

/** Fider names the original of a duplicate in its response. */
function originalIn(response: unknown): unknown {
  const original = isObject(response) ? response['original'] : undefined
  return isObject(original) ? original['number'] : undefined
}

function referenceOf(value: unknown): unknown {
  return isObject(value) ? (value['id'] ?? value['number']) : value
}

function personIn(value: unknown): { id?: unknown; name?: unknown; email?: unknown } | undefined {
  if (typeof value === 'string') return { name: value }
  if (!isObject(value)) return undefined
  return { id: value['enduser_id'] ?? value['id'], name: value['name'], email: value['email'] }
}

/** An author of whom only the name is known has an id made of it, so that the name is kept. */
function namedOnly(name: string | undefined): string | undefined {
  const shown = shownName(name, 200)
  return shown === undefined ? undefined : `imported:${shown}`
}

function textOf(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim()
  throw new Problem(field, 'must be text')
}

/** An id of a user, which may begin with a space. */
function exactText(field: string, value: unknown): string | undefined {
  return textOf(field, value) === undefined || typeof value !== 'string'
    ? textOf(field, value)
    : value
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
