/**
 * Pages of ideas. One statement returns items and total, so both are of one snapshot. Stored
 * counts are used for the total of all ideas, of one status and of one tag. Only the matches of a
 * search are counted, within the time that `boundSearch` allows.
 */
import assert from 'node:assert'
import { type IdeaStatus, ideasPerPage } from '#schemas/rest/portal/idea.ts'
import type { Database } from '../database.ts'
import { type IdeaSearch, matches, rareMax } from './idea-search-store.ts'
import { ideaJson } from './idea-view.ts'

export interface IdeaFilter {
  readonly projectId: string
  readonly offset: number
  readonly limit: number
  readonly byVotes: boolean
  /** The project's id of the visitor, who also sees own pending ideas. */
  readonly enduserId: string | undefined
  readonly tag: string | undefined
  readonly status: IdeaStatus | undefined
  readonly search: IdeaSearch | undefined
}

export interface IdeaPage {
  /** Text of a JSON array. */
  readonly items: string
  readonly itemCount: number
  readonly total: number
}

export async function listIdeas(pg: Database, filter: IdeaFilter): Promise<IdeaPage> {
  const { text, values } = listStatement(filter)
  const { rows } = await pg.query<{ items: string; item_count: number; total: number }>(
    text,
    values,
    preparedName(filter),
  )
  const row = rows[0]!
  return { items: row.items, itemCount: row.item_count, total: row.total }
}

/**
 * Name of the prepared statement of the first page, for which parsing and planning are half of
 * the cost. Undefined for other pages: they have too many texts.
 */
function preparedName(filter: IdeaFilter): string | undefined {
  const { limit, offset, byVotes, enduserId, status, tag, search } = filter
  const isFirst = limit === ideasPerPage && offset === 0
  const isWhole = status === undefined && tag === undefined && search === undefined
  if (!isFirst || !isWhole) return undefined
  return `ideas ${byVotes ? 'by votes' : 'by time'}${enduserId === undefined ? '' : ', of a viewer'}`
}

/** Parts of the statement, with the numbers of their parameters. */
interface Terms {
  readonly limit: number
  readonly offset: number
  readonly byVotes: boolean
  readonly hasViewer: boolean
  readonly status: string | undefined
  readonly tag: string | undefined
  readonly isSearch: boolean
  /** The matches are few, so they are looked up first. */
  readonly isRare: boolean
  /** Conditions on the idea `i`, without its visibility. */
  readonly where: string
}

function listStatement(filter: IdeaFilter): { text: string; values: unknown[] } {
  const values: unknown[] = [filter.projectId]
  const bind = (value: unknown) => `$${values.push(value)}`
  const status = filter.status === undefined ? undefined : bind(filter.status)
  const tag = filter.tag === undefined ? undefined : bind(filter.tag)
  const hasViewer = filter.enduserId !== undefined
  const viewer = hasViewer
    ? `select id from endusers where project_id = $1 and enduser_id = ${bind(filter.enduserId)}`
    : 'select null::uuid as id'

  const conditions = ['i.project_id = $1']
  if (status !== undefined) conditions.push(`i.status = ${status}`)
  if (tag !== undefined) {
    conditions.push(`i.id in (select it.idea_id from idea_tags it join tags t on t.id = it.tag_id
      where t.project_id = $1 and t.slug = ${tag})`)
  }
  const { search } = filter
  if (search !== undefined) conditions.push(matches(search, bind))

  const { limit, offset, byVotes } = filter
  const where = conditions.join(' and ')
  const isSearch = search !== undefined
  const isRare = isSearch && (search.kind !== 'words' || search.isRare)
  const terms: Terms = { limit, offset, byVotes, hasViewer, status, tag, isSearch, isRare, where }
  const bound = search?.kind === 'typos' ? `limit ${typosMax}` : ''
  const hits = isRare
    ? `hits as materialized (select i.id from ideas i
        where ${where} and i.moderation = 'published' ${bound}),`
    : ''
  const text = `with viewer as (${viewer}), ${hits} page as (${pageOf(terms)})
    select concat('[', string_agg(json, ',' order by position), ']') as items,
      count(*)::int as item_count, (${totalOf(terms)})::int as total from page`
  return { text, values }
}

/** Titles with typing errors that are sorted. The error may be in a word that most titles have. */
const typosMax = rareMax

const byCounts = 'c.vote_count desc, c.created_at desc, c.idea_id desc'
const byTime = 'i.created_at desc, i.id desc'
const isOwn = `i.moderation = 'pending' and i.author_id = (select id from viewer)`

/**
 * Finds the ids of the page from the columns of the order, then reads the ideas of those ids only.
 */
function pageOf(terms: Terms): string {
  const json = ideaJson(terms.hasViewer ? '(select id from viewer)' : undefined)
  const order = terms.byVotes ? byCounts : 'c.created_at desc, c.idea_id desc'
  return `select row_number() over (order by ${order}) as position, ${json} as json
    from (${idsOf(terms)}) ids join idea_counts c on c.idea_id = ids.id join ideas i on i.id = ids.id`
}

function idsOf(terms: Terms): string {
  const { limit, offset, byVotes, where, hasViewer } = terms
  const published = publishedOf(terms)
  // In the text instead of as parameters, so that the planner knows how few rows are wanted.
  assert(Number.isSafeInteger(limit) && Number.isSafeInteger(offset))
  const window = `limit ${limit} offset ${offset}`
  if (!hasViewer) return `${published} ${window}`
  // Published and own pending ideas, each in order and up to the end of the page, then merged.
  const columns = 'id, vote_count, created_at'
  const order = byVotes ? 'vote_count desc, created_at desc, id desc' : 'created_at desc, id desc'
  return `select id from (
      (select ${columns} from (${published} limit ${limit + offset}) as published)
      union all
      (select i.id, c.vote_count, i.created_at from ideas i join idea_counts c on c.idea_id = i.id
         where ${where} and ${isOwn} order by ${byVotes ? byCounts : byTime} limit ${limit + offset})
    ) as seen order by ${order} ${window}`
}

function publishedOf({ byVotes, where, status, tag, isSearch, isRare }: Terms): string {
  if (isRare) {
    // `limit 1` keeps the planner, which expects more hits, from reading the counts of all ideas.
    return `select hits.id, c.vote_count, c.created_at from hits cross join lateral (
        select idea_id, vote_count, created_at from idea_counts where idea_id = hits.id limit 1
      ) c order by ${byVotes ? byCounts : 'c.created_at desc, c.idea_id desc'}`
  }
  if (!byVotes) {
    return `select i.id, 0 as vote_count, i.created_at from ideas i
      where ${where} and i.moderation = 'published' order by ${byTime}`
  }
  const isWhole = status === undefined && tag === undefined && !isSearch
  const ideas = isWhole ? '' : 'join ideas i on i.id = c.idea_id'
  return `select c.idea_id as id, c.vote_count, c.created_at from idea_counts c ${ideas}
    where c.project_id = $1 and c.published ${isWhole ? '' : `and ${where}`} order by ${byCounts}`
}

function totalOf({ hasViewer, where, status, tag, isSearch, isRare }: Terms): string {
  const own = hasViewer ? ` + (select count(*) from ideas i where ${where} and ${isOwn})` : ''
  if (isRare) return `(select count(*) from hits)${own}`
  if (isSearch || (tag !== undefined && status !== undefined)) {
    return `(select count(*) from ideas i where ${where} and i.moderation = 'published')${own}`
  }
  const stored =
    tag === undefined
      ? `select sum(idea_count) from portal_totals
           where project_id = $1 ${status === undefined ? '' : `and status = ${status}`}`
      : `select idea_count from tags where project_id = $1 and slug = ${tag}`
  return `coalesce((${stored}), 0)${own}`
}
