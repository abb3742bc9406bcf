import { expect, test } from 'vitest'
import { appWithoutStores } from '../../test/fixtures/api-fixture.ts'
import { metricsOf } from './health.ts'
import { periodicTasksOf } from './periodic-tasks.ts'

test('closing the API aborts the signal of a periodic task and waits for its run', async () => {
  const app = await appWithoutStores()
  const steps: string[] = []
  periodicTasksOf(app).start({
    name: 'test',
    intervalMs: 60_000,
    first: 'now',
    run: async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await new Promise(setImmediate)
      steps.push('run ended')
    },
    failure: { code: 'test_failed', text: 'The test failed' },
  })
  await app.close()
  expect(steps).toEqual(['run ended'])
})

test('the tasks of the API report their last success to its metrics', async () => {
  const app = await appWithoutStores()
  const text = await metricsOf(app).metrics()
  for (const task of ['contact_imports', 'tracking_hits']) {
    expect(text).toContain(`sluice_periodic_last_success_seconds{task="${task}"}`)
  }
  await app.close()
})
