import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { createPool } from '#platform/postgres.ts'
import { countDrift, reindexIdeas } from '../../workers/portal-drift/idea-count-store.ts'
import { startStores, type TestStores } from '../fixtures/processes/stores.ts'
import { runStorm } from './storm.ts'

const seed = 20_261_121
let stores: TestStores | undefined

beforeAll(async () => {
  stores = await startStores()
})
afterAll(() => stores?.stop())

/** `npm run test:storm` makes 50,000 moves. */
test(`every stored count equals a recount after 3,000 random moves (seed ${seed})`, async () => {
  const { postgresUrl } = stores!
  const { moves, errors } = await runStorm({ postgresUrl, seed, moveCount: 3_000 })
  expect(errors).toEqual([])
  expect(Object.keys(moves).sort()).toEqual([
    ...['change', 'merge', 'moderate', 'unmerge', 'unvote', 'vote'],
  ])
})

test('the weekly check finds no error then, and finds a count that was changed by hand', async () => {
  const pg = createPool(
    { url: stores!.postgresUrl, applicationName: 'test', connectionsMax: 1 },
    createLogger('test', 'silent'),
  )
  try {
    const { projectId, ...clean } = (await countDrift(pg))[0]!
    expect(clean).toEqual({ what: 'votes', rows: 0 })
    await pg.query(
      'update idea_counts set vote_count = vote_count + 1 where idea_id = (select min(idea_id::text)::uuid from idea_counts)',
    )
    expect((await countDrift(pg)).filter(({ rows }) => rows > 0)).toEqual([
      { projectId, what: 'votes', rows: 1 },
    ])
    await pg.query(
      `insert into portal_settings (project_id, search_language) values ($1, 'english')`,
      [projectId],
    )
    await pg.query(`update ideas set title = 'Running tests' where project_id = $1`, [projectId])
    await pg.query('alter table ideas disable trigger idea_search')
    await pg.query(`update ideas set search = ''`)
    await pg.query('alter table ideas enable trigger idea_search')
    await reindexIdeas(pg, projectId)
    const found = await pg.query(
      `select from ideas where not search @@ idea_query('run test', 'english', ' & ')`,
    )
    expect(found.rowCount).toBe(0)
  } finally {
    await pg.end()
  }
})
