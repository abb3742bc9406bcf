/** One row of a file of ideas: its times, its identity, and what is wrong with it. */
import { v7 as uuidv7 } from 'uuid'
import { describe, expect, test } from 'vitest'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import { ideaFiles } from '../../../test/fixtures/idea-file-fixture.ts'

const api = apiOfThisFile()
const { url, portal, load, unload } = ideaFiles(api)

describe('rows', () => {
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

  test('ideas with equal texts stay two ideas, and a second import changes nothing', async () => {
    const to = await portal()
    const csv = 'title,description\nSame,one\nSame,two\nSame,two\n'
    expect(await load(to, csv)).toMatchObject({ imported: 3, known: 0 })
    expect(await load(to, csv)).toMatchObject({ imported: 0, known: 3 })
    expect(await load(to, `${csv}Same,two\n`)).toMatchObject({ imported: 1, known: 3 })
  })

  test('an idea with the same texts is recognized', async () => {
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

  test('an invalid status map is refused with the name of its field', async () => {
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

  test('every skipped row is reported, at any number', async () => {
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
