/**
 * Every column of the exported tables of ideas and feedback is exported, or left out for a reason
 * given here. A new column, or a new table that refers to ideas or users, fails these tests until
 * it is listed.
 */
import { expect, test } from 'vitest'
import { apiOfThisFile } from '../../test/fixtures/api-fixture.ts'
import { type FilePortal, ideaFiles } from '../../test/fixtures/idea-file-fixture.ts'
import { feedbackColumns } from '../feedback/files/write-feedback-file.ts'
import { exportStart, readIdeasForExport } from '../ideas/files/idea-export-store.ts'

const api = apiOfThisFile()
const files = ideaFiles(api)

const ofFile = 'a file holds one project'
const newId = 'an import makes its own'
const derived = 'follows from other columns'
const search = 'made of the text for searching'

/** The field of the file that holds the column, or the reason why none does. */
const held: Readonly<Record<string, Readonly<Record<string, string | { leftOut: string }>>>> = {
  ideas: {
    id: 'id',
    title: 'title',
    description: 'description',
    status: 'status',
    moderation: 'moderation',
    author_id: 'author_id',
    author_email: 'author_email',
    duplicate_of: 'duplicate_of',
    status_before_merge: 'status_before_merge',
    response: 'response',
    response_by: 'response_by',
    response_at: 'response_at',
    created_at: 'created_at',
    updated_at: 'updated_at',
    imported_votes: 'imported_votes',
    project_id: { leftOut: ofFile },
    search: { leftOut: search },
    title_sounds: { leftOut: search },
  },
  idea_counts: {
    idea_id: 'id',
    vote_count: 'vote_count',
    comment_count: 'comment_count',
    published: 'moderation',
    created_at: 'created_at',
    project_id: { leftOut: ofFile },
  },
  idea_tags: { idea_id: 'id', tag_id: 'tags' },
  tags: {
    slug: 'tag_details.slug',
    name: 'tag_details.name',
    color: 'tag_details.color',
    position: 'tag_details.position',
    id: { leftOut: newId },
    project_id: { leftOut: ofFile },
    idea_count: { leftOut: derived },
    created_at: { leftOut: 'no answer of the API holds it' },
  },
  votes: {
    idea_id: 'id',
    enduser_id: 'voters.enduser_id',
    via_idea_id: 'voters.via_idea_id',
    email: 'voters.email',
    cast_by: 'voters.cast_by',
    created_at: 'voters.voted_at',
  },
  comments: {
    id: 'comments.id',
    idea_id: 'id',
    parent_id: 'comments.parent_id',
    body: 'comments.body',
    author_id: 'comments.author_id',
    author_name: 'comments.author_name',
    author_email: 'comments.author_email',
    is_team: 'comments.is_team',
    moderation: 'comments.moderation',
    deleted_at: 'comments.deleted_at',
    created_at: 'comments.created_at',
    updated_at: 'comments.updated_at',
    project_id: { leftOut: ofFile },
    root_id: { leftOut: derived },
    depth: { leftOut: derived },
  },
  idea_events: {
    idea_id: 'id',
    kind: 'events.kind',
    from_status: 'events.from_status',
    to_status: 'events.to_status',
    actor: 'events.actor',
    details: 'events.details',
    at: 'events.at',
    id: { leftOut: newId },
  },
  endusers: {
    enduser_id: 'users.enduser_id',
    email: 'users.email',
    name: 'users.name',
    email_source: 'users.email_source',
    trusted: 'users.trusted',
    blocked_at: 'users.blocked_at',
    created_at: 'users.created_at',
    last_seen_at: 'users.last_seen_at',
    id: { leftOut: newId },
    project_id: { leftOut: ofFile },
  },
  portal_optouts: {
    email_key: 'notice_optouts.email',
    reason: 'notice_optouts.reason',
    at: 'notice_optouts.at',
    project_id: { leftOut: ofFile },
  },
}

/** Tables that refer to ideas or users and hold no content to export. */
const tablesLeftOut: Readonly<Record<string, string>> = {
  portal_notices: 'emails that are due in this installation; another one must not send them again',
}

const feedbackLeftOut: Readonly<Record<string, string>> = {
  project_id: ofFile,
  event_hash: 'derived from event_id again',
  look_at: 'when the event is looked for next',
  search,
}

async function columnsOf(table: string): Promise<string[]> {
  const { rows } = await api().pool.query<{ column_name: string }>(
    `select column_name from information_schema.columns
     where table_schema = 'public' and table_name = $1 order by column_name`,
    [table],
  )
  return rows.map(({ column_name }) => column_name)
}

test.each(Object.keys(held))(
  'every column of %s is exported or left out for a reason',
  async (table) => {
    expect(await columnsOf(table)).toEqual(Object.keys(held[table]!).sort())
  },
)

test('every table that refers to ideas or users is covered', async () => {
  const { rows } = await api().pool.query<{ name: string }>(
    `select distinct conrelid::regclass::text as name from pg_constraint
     where contype = 'f' and confrelid in ('ideas'::regclass, 'endusers'::regclass, 'tags'::regclass)`,
  )
  const known = new Set([...Object.keys(held), ...Object.keys(tablesLeftOut)])
  expect(rows.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([])
})

test('every column of feedback is exported or on the list of exceptions', async () => {
  const fields = feedbackColumns.filter((name) => name !== 'issue_id')
  expect(await columnsOf('feedback')).toEqual([...fields, ...Object.keys(feedbackLeftOut)].sort())
})

/** One idea with one row in every table. */
async function fullIdea(to: FilePortal): Promise<void> {
  const ideas = [
    {
      title: 'A',
      description: 'a',
      author_id: 'ada',
      tags: ['design'],
      voters: [{ enduser_id: 'ada', email: 'ada@x.test' }],
      comments: [{ body: 'x' }],
      users: [{ enduser_id: 'ada', email: 'ada@x.test' }],
      notice_optouts: [{ email: 'Ada@x.test', reason: 'stop', at: '2026-01-02' }],
    },
  ]
  await files.load(to, JSON.stringify(ideas), '?create_tags=true', 'application/json')
}

test('the files contain the fields of this test', async () => {
  const to = await files.portal()
  await fullIdea(to)
  const [idea] = await files.unload(to)
  const fields = Object.values(held)
    .flatMap((columns) => Object.values(columns))
    .filter((field) => typeof field === 'string')
  for (const field of fields) {
    const [list, name] = field.split('.') as [string, string | undefined]
    expect(Object.keys(name === undefined ? idea : idea[list][0])).toContain(name ?? list)
  }
  expect(idea.notice_optouts).toEqual([
    { email: 'ada@x.test', reason: 'stop', at: '2026-01-02T00:00:00.000000Z' },
  ])
})

test('a page of the export is read from an index, for any number of ideas', async () => {
  const { tenant } = await files.portal()
  const { tenant: other } = await files.portal()
  const { pool } = api()
  for (const { id } of [tenant.project, other.project]) {
    await pool.query(
      `insert into ideas (id, project_id, title, description, moderation, created_at)
       select gen_random_uuid(), $1, 'x', 'x', case when n % 10 = 0 then 'pending' else 'published' end,
         timestamptz '2026-01-01' + interval '1 microsecond' * (n / 3)
       from generate_series(1, 5000) n`,
      [id],
    )
  }
  await pool.query('analyze ideas, idea_counts, votes, comments, endusers')
  const plans: string[] = []
  const explaining = {
    query: async (sql: string, values: unknown[]) => {
      const { rows } = await pool.query(`explain (analyze, format json) ${sql}`, values)
      plans.push(JSON.stringify(rows[0]['QUERY PLAN'][0]))
      return pool.query(sql, values)
    },
  } as unknown as Parameters<typeof readIdeasForExport>[0]
  const seen: string[] = []
  let after: Parameters<typeof readIdeasForExport>[1]['after'] = exportStart
  for (let page = 0; page < 3; page += 1) {
    const rows = await readIdeasForExport(explaining, {
      projectId: tenant.project.id,
      after,
      limit: 100,
    })
    seen.push(...rows.map(({ created_at, id }) => `${created_at} ${id}`))
    after = rows.at(-1)!
  }
  expect(seen).toEqual([...new Set(seen)].sort())
  expect(seen).toHaveLength(300)
  for (const plan of plans) {
    const nodes = nodesOf(JSON.parse(plan).Plan)
    const ofIdeas = nodes.filter((node) => node['Relation Name'] === 'ideas')
    expect(ofIdeas.map((node) => node['Node Type']).join()).not.toContain('Seq Scan')
    expect(JSON.stringify(ofIdeas)).toContain('ideas_by_moderation')
    for (const node of ofIdeas) {
      expect(Number(node['Actual Rows']) * Number(node['Actual Loops'])).toBeLessThanOrEqual(310)
      expect(node['Rows Removed by Filter'] ?? 0).toBe(0)
    }
  }
})

type PlanNode = Readonly<Record<string, unknown>>

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...((plan['Plans'] ?? []) as PlanNode[]).flatMap(nodesOf)]
}
