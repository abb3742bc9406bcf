import { expect, test } from 'vitest'
import { ApiFixture } from '../test/fixtures/api-fixture.ts'
import { startOwnStores } from '../test/fixtures/processes/stores.ts'

test('requests are 503 while Postgres restarts and succeed afterwards', async () => {
  const stores = await startOwnStores()
  const api = await ApiFixture.start(stores)
  try {
    const tenant = await api.tenant('Restart')
    await stores.postgres.kill('SIGKILL')
    expect((await api.of(tenant, '/issues')).status).toBe(503)
    await stores.postgres.start()
    await expect.poll(async () => (await api.of(tenant, '/issues')).status).toBe(200)
  } finally {
    await api.stop()
  }
})
