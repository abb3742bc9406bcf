/** Files of ideas: what goes out comes in again without loss, and files of other services are kept whole or reported. */
import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { cleanVisibleLine } from '#schemas/visible-text.ts'
import { apiOfThisFile, type PersonLogin, type Tenant } from '../../../../test/api-fixture.ts'
import { recount } from '../../../../test/idea-storm/recount.ts'
import { mergeIdea } from './merge-idea.ts'

const api = apiOfThisFile()
let portals = 0

interface Portal {
  readonly tenant: Tenant
  readonly login: PersonLogin
}

async function portal(): Promise<Portal> {
  portals += 1
  const tenant = await api().tenant(`Files ${portals}`)
  return { tenant, login: await api().login(tenant) }
}

const url = ({ tenant }: Portal, path: string) => `/api/v1/admin/portal/${tenant.project.id}${path}`

async function load(to: Portal, text: string, query = '', type = 'text/csv') {
  const answer = await api().call(url(to, `/ideas/import${query}`), {
    ...{ method: 'POST', body: text, login: to.login, headers: { 'content-type': type } },
  })
  expect([answer.status, answer.status === 200 ? '' : answer.body]).toEqual([200, ''])
  return answer.body
}

// biome-ignore lint/suspicious/noExplicitAny: what a file holds is what the tests look at.
type Exported = any

async function unload(from: Portal): Promise<Exported[]> {
  const { login } = from
  return (await api().call(url(from, '/ideas/export?format=json'), { login })).body
}

async function unloadCsv(from: Portal): Promise<string> {
  return (await api().call(url(from, '/ideas/export'), { login: from.login })).body
}

/** Ids differ from project to project: each becomes what it names, so that two exports can be compared. */
function plain(ideas: readonly Exported[]): string[] {
  const names = new Map<string, string>()
  for (const { id, title, created_at, voters } of ideas) {
    names.set(id, `idea ${title} ${created_at} ${voters.length}`)
  }
  for (const { id, comments } of ideas) {
    for (const [at, comment] of comments.entries())
      names.set(comment.id, `comment ${at} of ${names.get(id)}`)
  }
  const text = JSON.stringify(ideas).replace(
    /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
    (id) => names.get(id)?.replace(/["\\]/g, '') ?? id,
  )
  return (JSON.parse(text) as unknown[]).map((idea) => JSON.stringify(idea)).sort()
}

const word = fc.oneof(
  fc.constantFrom(
    'Dark mode',
    '=cmd|calc',
    'Über "alles", ja; nein',
    "'=kept",
    '[x]',
    'وضع داكن',
    '👍🏽 | 🏴‍☠️',
    '-1',
    '{"a":1}',
    'a\tb',
  ),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    .map((text) => cleanVisibleLine(`x${text}`)),
)
const users = [
  'ada',
  'bob smith',
  'c|d',
  'user, with comma',
  '[weird]',
  'erin@x.test',
  '01',
  "'quoted",
]
const statuses = ['Open', 'Planned', 'Started', 'Completed', 'Declined'] as const

const project = fc.array(
  fc.record({
    title: word,
    description: word,
    status: fc.constantFrom(...statuses),
    moderation: fc.constantFrom('published', 'published', 'published', 'pending', 'rejected'),
    author: fc.option(fc.constantFrom(...users)),
    tags: fc.uniqueArray(fc.constantFrom('design', 'mobile', 'api-v2'), { maxLength: 3 }),
    voters: fc.uniqueArray(fc.constantFrom(...users), { maxLength: 6 }),
    imported: fc.constantFrom(0, 0, 5, 7, 1_234),
    response: fc.option(word),
    comments: fc.array(
      fc.record({
        body: word,
        author: fc.option(fc.constantFrom(...users)),
        parent: fc.option(fc.nat(5)),
        state: fc.constantFrom('published', 'pending', 'rejected', 'deleted'),
      }),
      { maxLength: 5 },
    ),
    mergeInto: fc.option(fc.nat(8)),
    minutes: fc.nat(5_000),
  }),
  { minLength: 1, maxLength: 6 },
)
type Project = typeof project extends fc.Arbitrary<infer P> ? P : never

async function fill({ tenant }: Portal, ideas: Project): Promise<void> {
  const { pool } = api()
  const projectId = tenant.project.id
  const rowOf = new Map<string, string>()
  for (const [at, user] of users.entries()) {
    const id = uuidv7()
    rowOf.set(user, id)
    await pool.query(
      `insert into endusers (id, project_id, enduser_id, name, email, email_source, trusted, blocked_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        id,
        projectId,
        user,
        at % 2 ? `Name ${at}` : null,
        at % 3 ? null : `u${at}@x.test`,
        at % 3 ? null : ['token', 'typed'][at % 2],
        at === 1,
        at === 2 ? '2026-01-01T00:00:00.123456Z' : null,
      ],
    )
  }
  for (const [at, slug] of ['design', 'mobile', 'api-v2'].entries()) {
    await pool.query(
      'insert into tags (id, project_id, slug, name, color, position) values ($1, $2, $3, $4, $5, $6)',
      [...[uuidv7(), projectId, slug, `Name of ${slug}`, `#11223${at}`, at]],
    )
  }
  const ids: string[] = []
  for (const idea of ideas) {
    const id = uuidv7()
    ids.push(id)
    const time = new Date(Date.parse('2026-03-01T00:00:00Z') + idea.minutes * 60_000)
      .toISOString()
      .replace('Z', '456Z')
    await pool.query(
      `insert into ideas (id, project_id, title, description, status, moderation, author_id, author_email, imported_votes,
         response, response_by, response_at, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)`,
      [
        id,
        projectId,
        idea.title.trim().replace(/\s+/g, ' '),
        idea.description.trim(),
        idea.status,
        idea.moderation,
        idea.author && rowOf.get(idea.author),
        idea.author && 'mine@x.test',
        idea.imported,
        idea.response?.trim() ?? null,
        idea.response && 'Grace',
        idea.response && time,
        time,
      ],
    )
    await pool.query(
      `insert into idea_events (id, idea_id, kind, to_status, actor, details, at) values ($1, $2, 'created', 'Open', null, '{}', $3)`,
      [uuidv7(), id, time],
    )
    await pool.query(
      'insert into idea_tags select $1, id from tags where project_id = $2 and slug = any($3)',
      [id, projectId, idea.tags],
    )
    for (const [at, voter] of idea.voters.entries()) {
      await pool.query(
        'insert into votes (idea_id, enduser_id, email, cast_by, created_at) values ($1, $2, $3, $4, $5)',
        [
          ...[
            id,
            rowOf.get(voter),
            at === 0 ? 'vote@x.test' : null,
            at === 1 ? 'Grace: by phone' : null,
            time,
          ],
        ],
      )
    }
    const comments: { id: string; root: string; depth: number }[] = []
    for (const { body, author, parent, state } of idea.comments) {
      const above = parent === null ? undefined : comments[parent]
      const commentId = uuidv7()
      const placed = {
        id: commentId,
        root: above?.root ?? commentId,
        depth: (above?.depth ?? 0) + 1,
      }
      comments.push(placed)
      const isDeleted = state === 'deleted'
      await pool.query(
        `insert into comments (id, project_id, idea_id, parent_id, root_id, depth, body, author_id, author_name, author_email,
           is_team, moderation, deleted_at, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)`,
        [
          commentId,
          projectId,
          id,
          above?.id ?? null,
          placed.root,
          placed.depth,
          isDeleted ? '' : body.trim(),
          author && rowOf.get(author),
          author ? 'Shown' : 'Grace',
          author && 'c@x.test',
          author === null,
          isDeleted ? 'published' : state,
          isDeleted ? time : null,
          time,
        ],
      )
    }
    await pool.query(
      `update idea_counts set vote_count = votes_of_idea($1), comment_count = (select count(*) from comments
         where idea_id = $1 and moderation = 'published' and deleted_at is null) where idea_id = $1`,
      [id],
    )
  }
  for (const [at, { mergeInto }] of ideas.entries()) {
    if (mergeInto === null || mergeInto >= ideas.length || mergeInto === at) continue
    const merge = {
      projectId,
      ideaId: ids[at]!,
      into: ids[mergeInto]!,
      actor: 'Grace',
      now: new Date(Date.parse('2026-04-01') + at),
    }
    await api()
      .ctx.pg.transaction((pg) => mergeIdea(pg, merge))
      .catch(() => undefined)
  }
}

describe('our own export', () => {
  test('of any project, as CSV and JSON, imports into an empty one and exports equal', async () => {
    await fc.assert(
      fc.asyncProperty(project, fc.constantFrom('csv', 'json'), async (ideas, format) => {
        const from = await portal()
        await fill(from, ideas)
        expect(await recount(api().ctx.pg, from.tenant.project.id)).toEqual([])
        const exported = await unload(from)
        const to = await portal()
        const text = format === 'csv' ? await unloadCsv(from) : JSON.stringify(exported)
        const type = format === 'csv' ? 'text/csv' : 'application/json'
        const want = {
          read: ideas.length,
          imported: ideas.length,
          skipped: 0,
          problems: [],
          notes: [],
        }
        const rehearsed = await load(to, text, '?create_tags=true&dry_run=true', type)
        expect(rehearsed).toMatchObject({ ...want, dry_run: true, ignored_columns: [] })
        const report = await load(to, text, '?create_tags=true', type)
        expect(report).toEqual({ ...rehearsed, dry_run: false })
        const again = await unload(to)
        expect(plain(again)).toEqual(plain(exported))
        expect(await recount(api().ctx.pg, to.tenant.project.id)).toEqual([])

        expect(await load(to, text, '', type)).toMatchObject({ imported: 0, known: ideas.length })
        expect(await load(from, text, '', type)).toMatchObject({ imported: 0, known: ideas.length })
        expect(await unload(to)).toEqual(again)
      }),
      { numRuns: 25 },
    )
  }, 180_000)

  test('a merge that was imported can be undone', async () => {
    const from = await portal()
    const idea: Project[number] = {
      ...{ title: 'A', description: 'a', status: 'Planned', moderation: 'published', author: null },
      ...{ voters: ['ada', 'c|d'], imported: 7, response: null, comments: [], minutes: 0 },
      ...{ tags: [], mergeInto: null },
    }
    await fill(from, [
      { ...idea, mergeInto: 1 },
      { ...idea, title: 'B', voters: ['bob smith', 'ada'], imported: 5 },
    ])
    const to = await portal()
    await load(to, JSON.stringify(await unload(from)), '', 'application/json')
    const counts = async () =>
      Object.fromEntries(
        (await unload(to)).map(({ title, status, vote_count }) => [title, [status, vote_count]]),
      )
    expect(await counts()).toEqual({ A: ['Duplicate', 9], B: ['Planned', 15] })
    const id = (await unload(to)).find(({ title }) => title === 'A').id
    const { status } = await api().call(url(to, `/ideas/${id}/unmerge`), {
      method: 'POST',
      login: to.login,
    })
    expect(status).toBe(200)
    expect(await counts()).toEqual({ A: ['Planned', 9], B: ['Planned', 7] })
    expect(await recount(api().ctx.pg, to.tenant.project.id)).toEqual([])
  })
})

describe('files of other services', () => {
  const summary = (ideas: Exported[]) =>
    Object.fromEntries(
      ideas.map(({ title, status, vote_count, imported_votes, tags, created_at }) => [
        title,
        { status, vote_count, imported_votes, tags, created_at },
      ]),
    )

  test('Fider: counts, names of authors, responses, duplicates and tags with commas', async () => {
    const to = await portal()
    const csv = [
      'number,title,description,created_at,created_by,votes_count,comments_count,status,responded_by,responded_at,response,original_number,original_title,tags',
      '10,Go is fast,Very; tiny description,2018-03-23T19:33:22Z,Faceless,4,2,declined,John Snow,2018-04-04T19:48:10Z,Nothing to do,,,"easy, ignored"',
      '15,Go is great,,2018-02-21T15:51:35Z,Someone else,4,2,open,,,,,,',
      '20,Go is easy,,2018-01-12T01:46:59Z,Faceless,3,2,duplicate,Arya Stark,2018-03-17T10:15:42Z,Already suggested,10,Go is fast,"this-tag-has,comma"',
      '21,Go is lost,x,2018-01-12T01:46:59Z,Faceless,3,2,duplicate,,,,99,Gone,',
    ].join('\n')
    const refused = await load(to, csv, '?dry_run=true')
    expect(refused.unknown_tags).toEqual(['easy', 'ignored', 'this-tag-has,comma'])
    const report = await load(to, csv, '?create_tags=true')
    expect(report).toMatchObject({
      ...{ read: 4, imported: 3, skipped: 1, ignored_columns: ['comments_count'] },
      created_tags: ['easy', 'ignored', 'this-tag-has-comma'],
      problems: [{ row: 4, field: 'duplicate_of' }],
      notes: [
        { row: 2, field: 'description' },
        { row: 3, field: 'description' },
      ],
    })
    const ideas = await unload(to)
    expect(summary(ideas)).toMatchObject({
      'Go is fast': {
        status: 'Declined',
        vote_count: 7,
        imported_votes: 4,
        tags: ['easy', 'ignored'],
      },
      'Go is great': { status: 'Open', vote_count: 4, imported_votes: 4 },
      'Go is easy': { status: 'Duplicate', imported_votes: 3, tags: ['this-tag-has-comma'] },
    })
    const fast = ideas.find(({ title }) => title === 'Go is fast')
    expect(fast).toMatchObject({
      ...{
        description: 'Very; tiny description',
        author_name: 'Faceless',
        response: 'Nothing to do',
      },
      ...{ response_by: 'John Snow', response_at: '2018-04-04T19:48:10.000000Z' },
    })
    expect(await recount(api().ctx.pg, to.tenant.project.id)).toEqual([])
  })

  test('Canny: score as votes, objects as authors and tags, standard names of statuses', async () => {
    const to = await portal()
    const post = (id: string, title: string, status: string, more: object = {}) => ({
      ...{ id, title, status, details: `About ${title}`, score: 12, commentCount: 1 },
      ...{
        created: '2017-07-15T22:11:00.000Z',
        board: { name: 'Features' },
        url: 'https://x.canny.io/p/1',
      },
      ...{
        author: { id: 'u1', name: 'Ada', email: 'ada@x.test' },
        tags: [{ id: 't1', name: 'Design' }],
        ...more,
      },
    })
    const file = [
      post('1', 'One', 'under review'),
      post('2', 'Two', 'in progress'),
      post('3', 'Three', 'complete', {
        comments: [{ id: 'c1', value: 'Yes', author: { id: 'u2', name: 'Bob' } }],
      }),
      post('4', 'Four', 'closed', { tags: [] }),
      post('5', 'Five', 'In QA'),
    ]
    const text = JSON.stringify(file)
    const first = await load(to, text, '?create_tags=1', 'application/json')
    expect(first).toMatchObject({
      ...{ imported: 4, skipped: 1, unknown_statuses: ['In QA'], created_tags: ['design'] },
      ignored_columns: ['board', 'url'],
      problems: [{ row: 5, field: 'status', rule: expect.stringContaining('In QA') }],
      mapped_statuses: {
        'under review': 'Open',
        'in progress': 'Started',
        complete: 'Completed',
        closed: 'Declined',
      },
    })
    const second = await load(to, text, '?status_map=in%20qa=Started', 'application/json')
    expect(second).toMatchObject({ imported: 1, known: 4, skipped: 0 })
    const ideas = await unload(to)
    expect(summary(ideas)).toMatchObject({
      One: {
        status: 'Open',
        vote_count: 12,
        tags: ['design'],
        created_at: '2017-07-15T22:11:00.000000Z',
      },
      Two: { status: 'Started' },
      Three: { status: 'Completed' },
      Four: { status: 'Declined' },
      Five: { status: 'Started' },
    })
    const three = ideas.find(({ title }) => title === 'Three')
    expect(three).toMatchObject({
      author_id: 'u1',
      author_name: 'Ada',
      author_email: 'ada@x.test',
      comment_count: 1,
    })
    expect(three.comments).toMatchObject([{ body: 'Yes', author_id: 'u2', author_name: 'Bob' }])
  })

  test('UserVoice: a row for each voter is one idea, with votes beyond the voters that are named', async () => {
    const to = await portal()
    const csv = [
      'suggestion.id,suggestion.title,suggestion.body,suggestion.status.name,suggestion.labels.name,suggestion.parent.id,suggestion.created_timestamp,suggestion.votes_count,user.email_address,user.name,suggestion.forum.name',
      '1,Dark mode,At night,planned,,,2015-01-20 13:34:00,5,ann@x.test,Ann,Main',
      '1,Dark mode,At night,planned,,,2015-01-20 13:34:00,5,bob@x.test,Bob,Main',
      '2,Darker mode,At night,,,1,2015-01-21,2,,,Main',
    ].join('\n')
    const report = await load(to, csv)
    expect(report).toMatchObject({
      read: 2,
      imported: 2,
      skipped: 0,
      ignored_columns: ['suggestion.forum.name'],
    })
    expect(summary(await unload(to))).toMatchObject({
      'Dark mode': {
        status: 'Planned',
        vote_count: 7,
        imported_votes: 3,
        created_at: '2015-01-20T13:34:00.000000Z',
      },
      'Darker mode': {
        status: 'Duplicate',
        imported_votes: 2,
        created_at: '2015-01-21T00:00:00.000000Z',
      },
    })
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['a date alone',        '2024-05-31',                  '2024-05-31T00:00:00.000000Z'],
    ['slashes',             '2024/5/1',                    '2024-05-01T00:00:00.000000Z'],
    ['no seconds',          '2024-05-31 12:30',            '2024-05-31T12:30:00.000000Z'],
    ['no zone',             '2024-05-31T12:30:01',         '2024-05-31T12:30:01.000000Z'],
    ['UTC by name',         '2024-05-31 12:30:01 UTC',     '2024-05-31T12:30:01.000000Z'],
    ['an offset',           '2024-05-31T12:30:01+02:00',   '2024-05-31T10:30:01.000000Z'],
    ['microseconds',        '2024-05-31T12:30:01.123456Z', '2024-05-31T12:30:01.123456Z'],
    ['a month by name',     'May 31, 2024',                '2024-05-31T00:00:00.000000Z'],
    ['milliseconds of 1970', '1446788856447',              '2015-11-06T05:47:36.447000Z'],
    ['no such day',         '2024-02-30',                  undefined],
    ['no such hour',        '2024-05-31 25:00',            undefined],
    ['which is the month?', '05/06/2024',                  undefined],
    ['an odd offset',       '2024-05-31T12:00:00+21:40',   undefined],
    ['the year 0000',       '0000-01-01',                  undefined],
    ['before 1970',         '1969-12-31',                  undefined],
    ['the future',          '2999-01-01',                  undefined],
    ['words',               'yesterday',                   undefined],
  ] as const)('%s as a date', async (_name, date, want) => {
    const to = await portal()
    const report = await load(to, `title,description,created_at\nA,a,"${date}"`)
    if (want === undefined) {
      expect(report).toMatchObject({ imported: 0, problems: [{ row: 1, field: 'created_at' }] })
    } else {
      expect((await unload(to))[0].created_at).toBe(want)
    }
  })

  test('two ideas of one title stay two, also when they say the same; the file twice changes nothing', async () => {
    const to = await portal()
    const csv = 'title,description\nSame,one\nSame,two\nSame,two\n'
    expect(await load(to, csv)).toMatchObject({ imported: 3, known: 0 })
    expect(await load(to, csv)).toMatchObject({ imported: 0, known: 3 })
    expect(await load(to, `${csv}Same,two\n`)).toMatchObject({ imported: 1, known: 3 })
  })

  test('what was here before by the same words is known', async () => {
    const to = await portal()
    await api().pool.query(
      "insert into ideas (id, project_id, title, description) values ($1, $2, 'Same', 'one')",
      [...[uuidv7(), to.tenant.project.id]],
    )
    expect(await load(to, 'title,description\nSame,one\nSame,other\n')).toMatchObject({
      imported: 1,
      known: 1,
    })
  })

  test('voters are split at | and nowhere else', async () => {
    const to = await portal()
    await load(to, 'title,description,voters\nA,a,"ann lee|bob, jr. | 17"\n')
    const [idea] = await unload(to)
    expect(idea.voters.map(({ enduser_id }: { enduser_id: string }) => enduser_id)).toEqual([
      '17',
      'ann lee',
      'bob, jr.',
    ])
    expect(idea.vote_count).toBe(3)
  })

  // biome-ignore format: the columns are the point
  test.each([
    ['NUL and lone surrogates',  { title: 'a\u0000b', description: '\ud800x' },               undefined],
    ['a number as a title',      { title: 17, description: 3 },                              undefined],
    ['a list as a title',        { title: ['a'], description: 'x' },                         'title'],
    ['an invisible title',       { title: '\u3164', description: 'x' },                      'title'],
    ['votes that are none',      { title: 'a', description: 'x', votes: 'many' },            'vote_count'],
    ['a huge number of votes',   { title: 'a', description: 'x', votes: 1e300 },             'imported_votes'],
    ['negative imported votes',  { title: 'a', description: 'x', imported_votes: -1 },       'imported_votes'],
    ['voters that are no list',  { title: 'a', description: 'x', voters: { a: 1 } },         'voters'],
    ['a voter without an id',    { title: 'a', description: 'x', voters: [{}] },             'voters.0.enduser_id'],
    ['comments that are words',  { title: 'a', description: 'x', comments: 'nice' },         'comments'],
    ['a comment of a number',    { title: 'a', description: 'x', comments: [{ body: 1 }] },  'comments.0.body'],
    ['an event of no kind',      { title: 'a', description: 'x', events: [{ kind: 'x', at: '2024-01-01' }] }, 'events.0.kind'],
    ['a circle of duplicates',   { id: '1', title: 'a', description: 'x', duplicate_of: '1' }, 'duplicate_of'],
    ['no original',              { title: 'a', description: 'x', duplicate_of: uuidv7() },   'duplicate_of'],
    ['a prototype',              JSON.parse('{"title":"a","description":"x","__proto__":{"a":1}}'), undefined],
    ['no object',                'x',                                                        'row'],
    ['null',                     null,                                                       'row'],
    ['an odd address',           { title: 'a', description: 'x', author_email: 'nobody' },   undefined],
    ['a comment without parent', { title: 'a', description: 'x', comments: [{ id: 'a', parent_id: 'b', body: 'x' }] }, undefined],
    ['comments in a circle',     { title: 'a', description: 'x', comments: [{ id: 'a', parent_id: 'b', body: 'x' }, { id: 'b', parent_id: 'a', body: 'y' }] }, undefined],
  ] as const)('%s costs no more than its own row', async (_name, row, field) => {
    const to = await portal()
    const text = JSON.stringify([row, { title: 'good', description: 'x' }])
    const report = await load(to, text, '', 'application/json')
    expect(report.problems).toMatchObject(field === undefined ? [] : [{ row: 1, field }])
    expect(report.imported).toBe(field === undefined ? 2 : 1)
    expect((await unload(to)).some(({ title }) => title === 'good')).toBe(true)
  })

  test('an odd status map is refused by name', async () => {
    const to = await portal()
    const answer = await api().call(url(to, '/ideas/import?status_map=Shipped'), {
      ...{
        method: 'POST',
        body: 'title,description\nA,a',
        login: to.login,
        headers: { 'content-type': 'text/csv' },
      },
    })
    expect([answer.status, answer.body.details[0].field]).toEqual([400, 'status_map'])
  })

  test('every row that is left out is reported, however many there are', async () => {
    const to = await portal()
    const lines = Array.from({ length: 500 }, (_, at) => `T${at},x,Nope`)
    const report = await load(to, `title,description,status\n${lines.join('\n')}`)
    expect([report.skipped, report.problems.length, report.unknown_statuses]).toEqual([
      500,
      500,
      ['Nope'],
    ])
  })
})
