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
  if (name.includes('\0')) return false
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

/**
 * The names of tags that no event of the project has, nor had when somebody searched for them. One
 * query for all names, which looks at the names of the tags of all events.
 */
export async function unknownTags(
  { pg, clickhouse }: Pick<Stores, 'pg' | 'clickhouse'>,
  projectId: ProjectId,
  names: readonly string[],
): Promise<readonly string[]> {
  const stored = names.filter((name) => !name.includes('\0'))
  const { rows } = await pg.query<{ key: string }>(
    'select key from project_tag_keys where project_id = $1 and key = any($2)',
    [projectId, stored],
  )
  const remembered = new Set(rows.map(({ key }) => key))
  const asked = stored.filter((name) => !remembered.has(name))
  if (asked.length === 0) return names.filter((name) => !remembered.has(name))
  const [found] = await clickhouse.select<{ names: string[] }>(
    `select groupUniqArrayArray(arrayIntersect(mapKeys(tags),
       [${asked.map((_, index) => `{name${index}:String}`).join(', ')}])) as names
     from events where project_id = {project:UInt64}`,
    { project: projectId, ...Object.fromEntries(asked.map((name, at) => [`name${at}`, name])) },
  )
  const known = new Set([...remembered, ...(found?.names ?? [])])
  return names.filter((name) => !known.has(name))
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
