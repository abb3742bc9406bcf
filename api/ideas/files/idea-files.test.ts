/** Files of ideas of other services are imported whole, and what is not is reported. */
import { describe, expect, test } from 'vitest'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import { type Exported, ideaFiles } from '../../../test/fixtures/idea-file-fixture.ts'
import { recount } from '../../../test/idea-storm/recount.ts'

const api = apiOfThisFile()
const { portal, load, unload } = ideaFiles(api)

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

  test('UserVoice: rows of the voters of one idea become one idea, with votes beyond the listed voters', async () => {
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
})
