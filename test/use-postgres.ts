import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createLogger } from '#platform/logger.ts'
import { createPool, type Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { addProject } from '../workers/io/fixtures/add-project.ts'
import { startStores, type TestStores } from './stores.ts'

/** The stores of a test file, migrated; and a new project for every test. */
export interface PostgresFixture {
  readonly stores: TestStores
  readonly pg: Pool
  readonly project: ProjectId
}

/** Starts and stops with the file; `begin` gets what it holds before every test. */
export function usePostgres(begin: (fixture: PostgresFixture) => void): void {
  let stores: TestStores | undefined
  let pg: Pool | undefined

  beforeAll(async () => {
    stores = await startStores()
    const options = { url: stores.postgresUrl, applicationName: 'test', connectionsMax: 8 }
    pg = createPool(options, createLogger('test', 'silent'))
  }, 60_000)

  afterAll(async () => {
    await pg?.end()
    await stores?.stop()
  }, 30_000)

  beforeEach(async () => {
    if (stores === undefined || pg === undefined) throw new Error('the stores did not start')
    begin({ stores, pg, project: await addProject(pg) })
  })
}
