/** Sessions of unmodified SDKs, from their process to release health. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import type { ReleaseDetail, ReleaseItem } from '#schemas/rest/release.ts'
import { runClient } from '../fixtures/processes/run-client.ts'
import { runProgram } from '../fixtures/processes/run-program.ts'
import { commonProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = commonProduct()

// biome-ignore format: the columns are the point
const endings = [
  ['ends well',      'exits',        { healthy: 1, errored: 0, crashed: 0, crash_free_sessions: 1 }],
  ['meets an error', 'meetsAnError', { healthy: 0, errored: 1, crashed: 0, crash_free_sessions: 1 }],
  ['crashes',        'crashes',      { healthy: 0, errored: 0, crashed: 1, crash_free_sessions: 0 }],
] as const

/** Updates of a session may be stored one after the other: waits for the last one. */
async function expectHealth(project: TestProject, health: object): Promise<void> {
  await waitUntil('the sessions of the release', async () => {
    const { body } = await project.api<ReleaseDetail>('/releases/shop%402.0.0')
    expect(body.health).toMatchObject(health)
    return true
  })
}

describe.each(['@sentry/node', '@sentry/node-10'])('%s', (sdk) => {
  test.concurrent.each(endings)('a program that %s', async (_, scenario, health) => {
    const project = await product().projectAtOnce(scenario)
    const report = await runClient('sessions-sdk.mjs', sdk, scenario, project.dsn)
    expect(report.itemTypes).toContain('session')
    expect(report.statuses.filter((status) => status !== 200)).toEqual([])
    await expectHealth(project, { sessions: 1, ...health, users: 0, adoption: 1 })
  })

  test.concurrent('a server counts the requests that it serves', async () => {
    const project = await product().projectAtOnce('serves')
    const report = await runClient('sessions-sdk.mjs', sdk, 'serves', project.dsn)
    expect(report.itemTypes).toContain('sessions')
    // Five requests, and the process itself.
    await expectHealth(project, {
      sessions: 6,
      healthy: 4,
      errored: 1,
      crashed: 1,
      abnormal: 0,
      unhandled: 0,
      crash_free_sessions: 0.833333,
    })
  })
})

/** The Python SDK is not installed by npm: it is tested where Python has it. */
const python = await runProgram('python3', ['-c', 'import sentry_sdk']).catch(() => undefined)

describe.skipIf(python?.code !== 0)('sentry-sdk for Python', () => {
  const run = (scenario: string, dsn: string) => {
    const script = join(projectRoot, 'test/clients/sessions_sdk.py')
    return runProgram('python3', [script, scenario, dsn])
  }

  test.concurrent.each(endings)('a program that %s', async (_, scenario, health) => {
    const project = await product().projectAtOnce(scenario)
    const { code } = await run(scenario, project.dsn)
    expect(code).toBe(scenario === 'crashes' ? 1 : 0)
    const users = { users: 1, crash_free_users: health.crash_free_sessions }
    await expectHealth(project, { sessions: 1, ...health, ...users, adoption: 1 })
  })

  test.concurrent('aggregates that their envelope does not identify are counted each time', async () => {
    const project = await product().projectAtOnce('serves')
    await run('serves', project.dsn)
    await run('serves', project.dsn)
    await expectHealth(project, { sessions: 10, healthy: 6, errored: 2, crashed: 2 })
  })
})

/** A session as an SDK sends it, for cases that no SDK produces within a test. */
function sessionItem(fields: object): string {
  const attrs = { release: 'shop@2.0.0', environment: 'production' }
  const payload = JSON.stringify({ status: 'exited', attrs, ...fields })
  return `{}\n{"type":"session"}\n${payload}`
}

describe('items as SDKs write them', () => {
  test('many updates of one session are one session, in any order', async () => {
    const project = await product().projectAtOnce('updates')
    const started = new Date(Date.now() - 60_000).toISOString()
    const session = { sid: '4f12bc7c670d4a20856b0590f73b51de', did: 'ann@example.com', started }
    for (const update of [
      { status: 'crashed', errors: 2, seq: 9 },
      { status: 'ok', init: true, seq: 1 },
      { status: 'ok', errors: 1, seq: 4 },
      { status: 'crashed', errors: 2, seq: 9 },
      { status: 'exited', duration: 12, seq: 3 },
    ]) {
      await project.send({ body: sessionItem({ ...session, ...update }) })
    }
    const calm = { sid: '5f12bc7c670d4a20856b0590f73b51de', did: 'bob@example.com', started }
    await project.send({ body: sessionItem({ ...calm, duration: 3 }) })
    await project.hasAccounting({ 'accepted session': 6 })
    await expectHealth(project, {
      sessions: 2,
      healthy: 1,
      crashed: 1,
      users: 2,
      crash_free_sessions: 0.5,
      crash_free_users: 0.5,
      duration_seconds: { mean: 3, p50: 3, p95: 3 },
    })
  })

  test('sessions without a release or with an old start are rejected and counted', async () => {
    const project = await product().projectAtOnce('refused')
    const started = new Date().toISOString()
    const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString()
    for (const fields of [
      { started, attrs: {} },
      { started: days(6) },
      { started: days(4) },
      { started: 'yesterday' },
    ]) {
      const { status } = await project.send({ body: sessionItem(fields) })
      expect(status).toBe(200)
    }
    await project.hasAccounting({ 'accepted session': 1, 'rejected invalid_session session': 3 })
    const { body } = await project.api<{ items: ReleaseItem[] }>('/releases')
    expect(body.items).toMatchObject([
      { version: 'shop@2.0.0', event_count: 0, first_event: null, health: { sessions: 1 } },
    ])
  })
})
