/**
 * Fills two portals, one a hundred times as large as the other, with the same number of votes per
 * idea and the same distribution of words. SQL statements fill them with the triggers that maintain
 * lists and search; only votes are inserted without triggers and counted afterwards.
 */
import type { Pool } from '#platform/postgres.ts'

export interface FilledPortal {
  readonly projectId: string
  readonly projectKey: string
  readonly ideaCount: number
}

const votesPerIdea = 30
const tagCount = 12
/** Words of the titles, from common to rare. */
const words = [
  ...[
    'export',
    'dark',
    'mode',
    'search',
    'mobile',
    'login',
    'email',
    'report',
    'filter',
    'calendar',
  ],
  ...['invoice', 'import', 'keyboard', 'shortcut', 'dashboard', 'widget', 'backup', 'archive'],
  ...['translation', 'webhook', 'signature', 'template', 'timeline', 'spreadsheet', 'avatar'],
]
const ideasPerStatement = 5_000

export async function fillPortal(
  pg: Pool,
  {
    organizationId,
    ideaCount,
    shortName,
  }: { organizationId: string; ideaCount: number; shortName: string },
): Promise<FilledPortal> {
  const made = await pg.query<{ id: string; project_key: string }>(
    `insert into projects (id, organization_id, name, short_name, project_key)
     values (gen_random_uuid(), $1, $2, $2, gen_random_uuid()) returning id, project_key`,
    [organizationId, shortName],
  )
  const { id: projectId, project_key: projectKey } = made.rows[0]!
  await pg.query(
    `insert into portal_settings (project_id, branding) values ($1, '{"title":"Bench","theme":"dark"}')`,
    [projectId],
  )
  await pg.query(
    `insert into tags (id, project_id, slug, name, color)
     select gen_random_uuid(), $1, 'tag-' || n, 'Tag ' || n, '#3355ff' from generate_series(1, ${tagCount}) n`,
    [projectId],
  )
  const userCount = Math.max(1_000, Math.round(ideaCount / 2))
  await pg.query(
    `insert into endusers (id, project_id, enduser_id) select gen_random_uuid(), $1, 'user-' || n
     from generate_series(1, $2) n`,
    [projectId, userCount],
  )
  for (let from = 1; from <= ideaCount; from += ideasPerStatement) {
    await addIdeas(pg, { projectId, from, to: Math.min(ideaCount, from + ideasPerStatement - 1) })
  }
  await addVotes(pg, { projectId, userCount })
  return { projectId, projectKey, ideaCount }
}

/** The number of an idea determines its words. One word of each idea is unique in its portal. */
async function addIdeas(
  pg: Pool,
  { projectId, from, to }: { projectId: string; from: number; to: number },
): Promise<void> {
  await pg.query(
    `with added as (
       insert into ideas (id, project_id, title, description, status, created_at, updated_at)
       select gen_random_uuid(), $1,
         initcap(word(n * 7919)) || ' ' || word(n * 104729) || ' for number' || n,
         'We would like ' || word(n * 15485863) || ' with ' || word(n * 32452843) || ' so that the '
           || word(n * 49979687) || ' takes less time every day, and nobody has to ask a colleague about it again.',
         (array['Open','Open','Open','Open','Open','Planned','Started','Completed','Completed','Declined'])[n % 10 + 1],
         now() - make_interval(mins => n::int), now() - make_interval(mins => n::int)
       from generate_series($2::bigint, $3::bigint) n returning id
     )
     insert into idea_tags select added.id, t.id from added
       join tags t on t.project_id = $1 and hashtext(added.id::text || t.slug) % 6 = 0`,
    [projectId, from, to],
  )
}

async function addVotes(
  pg: Pool,
  { projectId, userCount }: { projectId: string; userCount: number },
): Promise<void> {
  const client = await pg.connect()
  try {
    await client.query('begin')
    // References and the index by user are checked and built once, at the end.
    await client.query(`set local session_replication_role = 'replica'`)
    await client.query('drop index votes_of_enduser')
    await client.query(
      `with i as (select id, row_number() over (order by id) as n from ideas where project_id = $1),
         u as materialized (select array_agg(id) as ids from endusers where project_id = $1)
       insert into votes (idea_id, enduser_id, created_at)
       select i.id, u.ids[1 + (i.n * 31 + step * 7919) % $2::bigint], now()
       from i, u, generate_series(1, 1 + (i.n * 7 % (2 * ${votesPerIdea}))) as step
       order by i.id on conflict do nothing`,
      [projectId, userCount],
    )
    await client.query('create index votes_of_enduser on votes (enduser_id)')
    await client.query(
      `update idea_counts c set vote_count = n.votes
       from (select idea_id, count(*) as votes from votes group by idea_id) n
       where n.idea_id = c.idea_id and c.project_id = $1`,
      [projectId],
    )
    await client.query('commit')
  } finally {
    client.release()
  }
}

/** The SQL function `word` exists while `work` runs. */
export async function withWords<T>(pg: Pool, work: () => Promise<T>): Promise<T> {
  const list = words.map((word) => `'${word}'`).join(', ')
  await pg.query(
    `create function word(n bigint) returns text language sql immutable as
     $$ select (array[${list}])[1 + floor(power((n % 10007) / 10007.0, 2) * ${words.length})::int] $$`,
  )
  try {
    return await work()
  } finally {
    await pg.query('drop function word(bigint)')
  }
}
