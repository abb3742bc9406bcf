/** Which tags the events of a project have. */
import type { ProjectId } from '#schemas/ids.ts'
import { suggestionDays, suggestionEvents } from '#schemas/rest/tag.ts'
import type { ApiContext } from '../context.ts'
import { listTagKeys, newestEventsSince } from '../tags/tag-store.ts'

interface NamedTag {
  readonly projectId: ProjectId
  readonly name: string
}

type Stores = Pick<ApiContext, 'pg' | 'clickhouse' | 'clock' | 'log'>

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

/** A search does not fail because nothing can be written now. */
export async function rememberTag(
  { pg, log }: Stores,
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
    log.warn({ err: error }, 'the name of a tag was not stored')
  }
}

const frequentMax = 200

export async function listFrequentTags(
  { clickhouse, clock }: Stores,
  projectId: ProjectId,
): Promise<readonly string[]> {
  const lookup = { projectId, sinceMs: clock.nowMs() - suggestionDays * 86_400_000 }
  const sinceMs = await newestEventsSince(clickhouse, { ...lookup, events: suggestionEvents })
  const tags = await listTagKeys(clickhouse, { projectId, sinceMs, prefix: '', limit: frequentMax })
  return tags.map(({ key }) => key)
}
