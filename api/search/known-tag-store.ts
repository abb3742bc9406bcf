/** Which tags the events of a project have. */
import type { ProjectId } from '#schemas/ids.ts'
import { suggestionDays, suggestionEvents } from '#schemas/rest/tag.ts'
import type { ApiContext } from '../context.ts'
import { listTagKeys, newestEventsSince } from '../tags/tag-store.ts'

interface NamedTag {
  readonly projectId: ProjectId
  readonly name: string
}

type Stores = Pick<ApiContext, 'pg' | 'clickhouse' | 'clock'>

/** Names that are remembered for a project. The others are looked for in its events each time. */
const rememberedMax = 2_000

/** Whether an event of the project has the tag, or had it when somebody searched for it. */
export async function tagExists(
  { pg, clickhouse }: Stores,
  { projectId, name }: NamedTag,
): Promise<boolean> {
  if (!isStorable(name)) return false
  const { rowCount } = await pg.query(
    'select from project_tag_keys where project_id = $1 and key = $2',
    [projectId, name],
  )
  if ((rowCount ?? 0) > 0) return true
  const rows = await clickhouse.select(
    `select 1 as found from events
     where project_id = {project:UInt64} and mapContains(tags, {name:String}) limit 1`,
    { project: projectId, name },
  )
  return rows.length > 0
}

/** Whether the project has an event, so that its tags are known. */
export async function hasEvents(
  { clickhouse }: Pick<Stores, 'clickhouse'>,
  projectId: ProjectId,
): Promise<boolean> {
  const rows = await clickhouse.select(
    'select 1 as found from events where project_id = {project:UInt64} limit 1',
    { project: projectId },
  )
  return rows.length > 0
}

/** Names travel in the URL of a query: the bytes of one, and the number of queries. */
const askedBytesMax = 6_000
const asksMax = 4

/**
 * The names of tags that no event of the project has, nor had when somebody searched for them. A
 * query looks at the names of the tags of all events, so the names that it finds are remembered.
 * Names beyond the bounds count as known.
 */
export async function unknownTags(
  ctx: Pick<Stores, 'pg' | 'clickhouse'> & Partial<Pick<ApiContext, 'log'>>,
  projectId: ProjectId,
  names: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await ctx.pg.query<{ key: string }>(
    'select key from project_tag_keys where project_id = $1 and key = any($2)',
    [projectId, names.filter(isStorable)],
  )
  const remembered = new Set(rows.map(({ key }) => key))
  const unknown = names.filter((name) => !isStorable(name))
  const asked = names.filter((name) => isStorable(name) && !remembered.has(name))
  for (const part of partsOf(asked).slice(0, asksMax)) {
    const found = await storedTags(ctx.clickhouse, projectId, part)
    for (const name of found) await rememberTag(ctx, { projectId, name })
    unknown.push(...part.filter((name) => !found.has(name)))
  }
  return unknown
}

/** Neither Postgres nor ClickHouse accepts NUL, and no tag has it. */
function isStorable(name: string): boolean {
  return !name.includes('\0')
}

function partsOf(names: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]]
  let bytes = 0
  for (const name of names) {
    bytes += encodeURIComponent(name).length
    if (bytes > askedBytesMax) {
      parts.push([])
      bytes = encodeURIComponent(name).length
    }
    parts.at(-1)?.push(name)
  }
  return parts.filter((part) => part.length > 0)
}

/** Those of the names that are tags of an event. */
async function storedTags(
  clickhouse: Stores['clickhouse'],
  projectId: ProjectId,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const list = names.map((_, index) => `{name${index}:String}`).join(', ')
  const [row] = await clickhouse.select<{ names: string[] }>(
    `select groupUniqArrayArray(arrayIntersect(mapKeys(tags), [${list}])) as names
     from events where project_id = {project:UInt64}`,
    { project: projectId, ...Object.fromEntries(names.map((name, at) => [`name${at}`, name])) },
  )
  return new Set(row?.names ?? [])
}

/** A search does not fail because nothing can be written now. */
export async function rememberTag(
  { pg, log }: Pick<Stores, 'pg'> & Partial<Pick<ApiContext, 'log'>>,
  { projectId, name }: NamedTag,
): Promise<void> {
  try {
    await pg.query(
      `insert into project_tag_keys (project_id, key)
       select $1, $2 where (select count(*) from project_tag_keys where project_id = $1) < ${rememberedMax}
       on conflict do nothing`,
      [projectId, name],
    )
  } catch (error) {
    log?.warn({ err: error }, 'the name of a tag was not stored')
  }
}

const frequentMax = 200

export async function listFrequentTags(
  { clickhouse, clock }: Pick<Stores, 'clickhouse' | 'clock'>,
  projectId: ProjectId,
): Promise<readonly string[]> {
  const lookup = { projectId, sinceMs: clock.nowMs() - suggestionDays * 86_400_000 }
  const sinceMs = await newestEventsSince(clickhouse, { ...lookup, events: suggestionEvents })
  const tags = await listTagKeys(clickhouse, { projectId, sinceMs, prefix: '', limit: frequentMax })
  return tags.map(({ key }) => key)
}
