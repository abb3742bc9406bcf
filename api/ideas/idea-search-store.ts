/**
 * Search of ideas. It finds ideas with all the words; the last word may be a prefix. If the
 * project has none, it finds titles that have the words with a typing error in each; if there are
 * none either, similar titles and, for text without spaces between words or without words, ideas
 * that contain the text. Items and total of a list use the same of the three.
 */
import type { Database } from '../database.ts'
import { ideaJson } from './idea-view.ts'

export type IdeaSearch =
  | {
      readonly kind: 'words'
      readonly query: string
      /** Few ideas have the words: they are looked up first, instead of filtering the top ideas. */
      readonly isRare: boolean
    }
  | { readonly kind: 'typos'; readonly sounds: string }
  | { readonly kind: 'likeness'; readonly sounds: string; readonly text: string }

/** Similar titles that a search finds. */
const alikeMax = 100
/** Words of a search that are compared with those of titles that may differ by a typing error. */
const typoWordsMax = 10
/** Threshold of word_similarity (pg_trgm), 0 to 1. */
const likenessMin = 0.4
const statementMsMax = 2_000

export interface PreparedSearch {
  /** Text of a tsquery. Null: the text has no words. */
  readonly query: string | null
  /** A tsquery of any of the words, for similar ideas. */
  readonly anyQuery: string | null
  readonly sounds: string
  /** Published ideas with all words, without other filters, counted up to `rareMax` + 1. */
  readonly found: number
}

/**
 * Up to this number, looking up and sorting takes milliseconds; above it, filtering the top ideas
 * is faster.
 */
export const rareMax = 3_000

/**
 * Call it first in the transaction of a search: Postgres cancels statements after
 * `statementMsMax`, so that a search cannot slow down other requests. It starts no parallel
 * workers, which take longer to start than a search takes.
 */
export async function boundSearch(
  pg: Database,
  { projectId, text, language }: { projectId: string; text: string; language: string },
): Promise<PreparedSearch> {
  const { rows } = await pg.query<PreparedRow>(
    `select idea_query($1, $2, ' & ')::text as query, idea_query($1, $2, ' | ')::text as any_query,
       sounds_of($1) as sounds, count_ideas_with($3, idea_query($1, $2, ' & '), ${rareMax + 1}) as found,
       set_config('statement_timeout', '${statementMsMax}', true),
       set_config('max_parallel_workers_per_gather', '0', true),
       set_config('pg_trgm.word_similarity_threshold', '${likenessMin}', true)`,
    [text, language, projectId],
  )
  const { query, any_query, sounds, found } = rows[0]!
  return { query, anyQuery: any_query, sounds, found }
}

interface PreparedRow {
  readonly query: string | null
  readonly any_query: string | null
  readonly sounds: string
  readonly found: number
}

/** SQL of the condition on the idea `i`. */
export function matches(search: IdeaSearch, bind: (value: unknown) => string): string {
  if (search.kind === 'words') return `i.search @@ ${bind(search.query)}::tsquery`
  if (search.kind === 'typos') {
    const words = search.sounds.split(' ').slice(0, typoWordsMax)
    return words
      .map((word) => `typo_keys(i.title_sounds) && typo_keys(${bind(word)})`)
      .join(' and ')
  }
  const parts: string[] = []
  if (search.sounds !== '') {
    const sounds = bind(search.sounds)
    parts.push(`(select id from ideas
      where project_id = $1 and moderation = 'published' and title_sounds %> ${sounds}
      order by word_similarity(${sounds}, title_sounds) desc, id limit ${alikeMax})`)
  }
  if (isBeyondWords(search.text)) {
    const pattern = bind(`%${search.text.replace(/[\\%_]/g, '\\$&')}%`)
    parts.push(`(select id from ideas
      where project_id = $1 and moderation = 'published' and (title like ${pattern} or description like ${pattern}))`)
  }
  return parts.length === 0 ? 'false' : `i.id in (${parts.join(' union ')})`
}

/** The index finds prefixes of words in ASCII; for other texts, all texts are read. */
function isBeyondWords(text: string): boolean {
  return /[^\x20-\x7e]/.test(text) || !/[a-z0-9]/i.test(text)
}

const similarMax = 5
const candidates = { allWords: 200, alike: 20, anyWord: 2_000 } as const

/**
 * Published ideas similar to a title, most similar first, as a JSON array. Each source is bounded.
 */
export async function listSimilar(
  pg: Database,
  { projectId, enduserId, prepared }: SimilarTo,
): Promise<string> {
  const hasViewer = enduserId !== undefined
  const { rows } = await pg.query<{ items: string }>(
    `with viewer as (select id from endusers where project_id = $1 and enduser_id = $5),
     candidates as (
       (select id from ideas where project_id = $1 and moderation = 'published' and search @@ $2::tsquery
          limit ${candidates.allWords})
       union
       (select id from ideas where project_id = $1 and moderation = 'published' and title_sounds %> $4
          order by word_similarity($4, title_sounds) desc, id limit ${candidates.alike})
       union
       (select id from ideas where project_id = $1 and moderation = 'published' and search @@ $3::tsquery
          limit ${candidates.anyWord})
     ),
     ranked as (
       select ideas.id, ts_rank_cd(search, $3::tsquery) + similarity($4, title_sounds) as likeness
       from candidates join ideas on ideas.id = candidates.id
       order by likeness desc, ideas.id desc limit ${similarMax}
     )
     select concat('[', string_agg(${ideaJson(hasViewer ? '(select id from viewer)' : undefined)}, ','
       order by likeness desc, i.id desc), ']') as items
     from ranked join ideas i on i.id = ranked.id join idea_counts c on c.idea_id = i.id`,
    [projectId, prepared.query, prepared.anyQuery, prepared.sounds, enduserId ?? null],
  )
  return rows[0]!.items
}

export interface SimilarTo {
  readonly projectId: string
  readonly enduserId: string | undefined
  readonly prepared: PreparedSearch
}
