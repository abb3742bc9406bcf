/**
 * Reads one row of a file as an idea: finds columns, splits cells, parses times and statuses. Pure.
 */

import type { IdeaStatus } from '#schemas/rest/portal/idea.ts'
import { FileIdea } from '#schemas/rest/portal/idea-file.ts'
import { shownName } from '#schemas/visible-text.ts'
import { fileTimeRule, parseFileTime } from '../../files/file-time.ts'
import { checkedComments, checkedEmails, type Told } from './check-idea.ts'
import type { ColumnPlan, IdeaColumn } from './idea-columns.ts'
import {
  checkedLists,
  commentsOf,
  eventsOf,
  optoutsOf,
  rowVoter,
  rowVoterUser,
  usersOf,
  votersOf,
} from './read-idea-lists.ts'
import {
  checkedPart,
  exactText,
  isObject,
  jsonArray,
  Problem,
  personIn,
  splitAt,
  textOf,
} from './row-cells.ts'
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

export async function readIdeaRow(raw: unknown, options: ReadOptions): Promise<ReadIdea> {
  try {
    return await readRow(raw, options)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { told: problem, unknownStatus } = error
    return { kind: 'problem', problem, ...(unknownStatus === undefined ? {} : { unknownStatus }) }
  }
}

async function readRow(raw: unknown, { plan, statuses, now }: ReadOptions): Promise<ReadIdea> {
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
    notes.push({ field: 'description', rule: 'was blank: replaced by the title' })
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
  const voters = await votersOf(cell('voters'), time)
  voters.push(...rowVoter(cell('voter_id')))
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
  }
  const lists = {
    voters,
    comments: await commentsOf(cell('comments'), time),
    events: await eventsOf(cell('events'), time),
    users: await usersOf(cell('users'), rowVoterUser(cell('voter_id'), cell('voter_name')), time),
    notice_optouts: await optoutsOf(cell('notice_optouts'), time),
  }
  const checked: FileIdea = { ...checkedPart(FileIdea, row, 'row'), ...(await checkedLists(lists)) }
  const idea = await checkedComments(await checkedEmails(checked, notes), notes)
  return { kind: 'idea', idea, notes, status: statusText }
}

/**
 * The exact count of imported votes, or the votes that a service counted beyond the listed voters.
 */
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
/**
 * Splits tags at `|`, or at a comma and a space as Fider and UserVoice write them. Names may
 * contain spaces and commas.
 */
function tagsOf(value: unknown): unknown {
  if (typeof value === 'string') {
    const list = jsonArray(value)
    if (list !== undefined) return tagsOf(list)
    return splitAt(value, value.includes('|') ? '|' : ', ')
  }
  if (!Array.isArray(value)) return value
  return value.map((tag) => (isObject(tag) ? (tag['slug'] ?? tag['name']) : tag))
}

/** In CSV, lists and objects are JSON in their cell. */
function jsonCell(field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const list = jsonArray(value)
  if (list === undefined) throw new Problem(field, 'must be a JSON array')
  return list
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

/** The number of the original: Fider has it in the response. */
function originalIn(response: unknown): unknown {
  const original = isObject(response) ? response['original'] : undefined
  return isObject(original) ? original['number'] : undefined
}

function referenceOf(value: unknown): unknown {
  return isObject(value) ? (value['id'] ?? value['number']) : value
}

/** The id of an author of whom only the name is known, derived from the name to keep it. */
function namedOnly(name: string | undefined): string | undefined {
  const shown = shownName(name, 200)
  return shown === undefined ? undefined : `imported:${shown}`
}
