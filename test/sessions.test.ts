/** Sessions of unmodified SDKs, from their process to the release's health. */
import { describe, expect, test } from 'vitest'
import type { ReleaseDetail } from '#schemas/rest/release.ts'
import { runClient } from './run-client.ts'
import { productOfThisFile } from './running-product.ts'
import type { TestProject } from './test-project.ts'
import { waitUntil } from './wait-until.ts'

const product = productOfThisFile()

function healthOf(project: TestProject, sessions: number): Promise<ReleaseDetail['health']> {
  return waitUntil(`${sessions} sessions`, async () => {
    const { body } = await project.api<ReleaseDetail>('/releases/shop%402.0.0')
    return body.health?.sessions === sessions ? body.health : undefined
  })
}

describe.each([
  ['@sentry/node', { sessions: 5, errored: 1 }],
  // It also tells of the process itself.
  ['@sentry/node-10', { sessions: 6, errored: 2 }],
] as const)('%s', (sdk, served) => {
  // biome-ignore format: the columns are the point
  test.concurrent.each([
    ['ends well',            'exits',        { healthy: 1, errored: 0, crashed: 0, crash_free_sessions: 1 }],
    ['meets an error',       'meetsAnError', { healthy: 0, errored: 1, crashed: 0, crash_free_sessions: 1 }],
    ['crashes',              'crashes',      { healthy: 0, errored: 0, crashed: 1, crash_free_sessions: 0 }],
  ] as const)('a program that %s', async (_, scenario, health) => {
    const project = await product().projectAtOnce(scenario)
    const report = await runClient('sessions-sdk.mjs', sdk, scenario, project.dsn)
    expect(report.itemTypes).toContain('session')
    expect(report.statuses.filter((status) => status !== 200)).toEqual([])
    expect(await healthOf(project, 1)).toMatchObject({ ...health, users: 0, adoption: 1 })
  })

  test.concurrent('a server counts the requests that it serves', async () => {
    const project = await product().projectAtOnce('serves')
    const report = await runClient('sessions-sdk.mjs', sdk, 'serves', project.dsn)
    expect(report.itemTypes).toContain('sessions')
    expect(await healthOf(project, served.sessions)).toMatchObject({
      ...served,
      ...{ healthy: 4, crashed: 0, abnormal: 0, crash_free_sessions: 1 },
    })
  })
})
