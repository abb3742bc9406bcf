import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '#platform/project-root.ts'
import { runClient } from '../fixtures/processes/run-client.ts'
import { type ProgramEnd, runProgram } from '../fixtures/processes/run-program.ts'
import { commonProduct } from '../fixtures/processes/running-product.ts'

const product = commonProduct()

describe('@sentry/browser', () => {
  const run = (scenario: string, dsn: string) => runClient('browser-sdk.mjs', scenario, dsn)

  test.concurrent('the same error from two pages is one issue with two events', async () => {
    const project = await product().projectAtOnce('browser')
    for (const sent of [1, 2]) {
      const report = await run('chain', project.dsn)
      expect(report).toMatchObject({ code: 0, flushed: true, statuses: [200], losses: [] })
      await project.hasEvents(sent)
    }
    const issue = await project.issue()
    expect(issue).toMatchObject({
      title: 'Error: order 42 was not placed',
      culprit: 'scenarios.mjs in placeOrder',
      platform: 'javascript',
      count: 2,
      first_release: 'web@2.0.0',
      environments: ['preview'],
    })
    expect(issue.grouping.explanation?.path).toBe('exception-stack')
    await project.hasAccounting({ 'accepted error': 2 })
  })

  test.concurrent('tags and user of a scope are stored', async () => {
    const project = await product().projectAtOnce('browser scope')
    const report = await run('rich', project.dsn)
    expect(report).toMatchObject({ flushed: true, statuses: [200], losses: [] })
    await project.hasEvents(1)
    expect(await project.event(report.eventIds[0]!)).toMatchObject({
      level: 'fatal',
      tags: { queue: 'orders' },
      user: { id: '17' },
    })
  })

  test.concurrent('a large event and one with invalid characters are answered 200', async () => {
    const project = await product().projectAtOnce('browser odd')
    for (const scenario of ['large', 'unicode']) {
      expect(await run(scenario, project.dsn)).toMatchObject({ statuses: [200], losses: [] })
    }
    await project.hasEvents(2)
  })
})

describe('raven', () => {
  test.concurrent('an error sent to /store/ becomes an issue', async () => {
    const project = await product().projectAtOnce('raven')
    const [first, second] = [
      await runClient('raven.cjs', 'error', project.dsn),
      await runClient('raven.cjs', 'error', project.dsn),
    ]
    expect(first).toMatchObject({ code: 0, error: null, eventId: expect.stringMatching(hexId) })
    expect(second).toMatchObject({ code: 0, error: null })
    await project.hasEvents(2)
    expect(await project.issue()).toMatchObject({
      title: 'RangeError: card 4711 was declined',
      // The legacy client sends `culprit`, the former name of `transaction`.
      culprit: 'raven.cjs at chargeCard',
      count: 2,
      first_release: 'legacy@0.9.0',
      environments: ['production'],
    })
    expect((await project.events())[0]).toMatchObject({
      tags: { queue: 'orders' },
      user: { id: '17' },
    })
    await project.hasAccounting({ 'accepted error': 2 })
  })

  test.concurrent('a message keeps its level', async () => {
    const project = await product().projectAtOnce('raven message')
    expect(await runClient('raven.cjs', 'message', project.dsn)).toMatchObject({ error: null })
    await project.hasEvents(1)
    expect(await project.issue()).toMatchObject({
      title: 'Disk 3 is nearly full',
      level: 'warning',
    })
  })
})

describe('sentry-cli', () => {
  test.concurrent('send-event creates an issue, and accepts its id in any form', async () => {
    const project = await product().projectAtOnce('cli')
    const args = [
      '--release',
      'cli@3.0.0',
      '--env',
      'ci',
      '--tag',
      'job:build',
      '--level',
      'warning',
    ]
    const end = await cli(project.dsn, 'send-event', '--message', 'Build 7 failed', ...args)
    expect(end).toMatchObject({ code: 0 })
    const [sent] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(end.stdout) ?? []
    await project.hasEvents(1)
    const event = await project.onlyEvent()
    expect(event).toMatchObject({
      id: sent?.replaceAll('-', ''),
      title: 'Build 7 failed',
      level: 'warning',
      release: 'cli@3.0.0',
      environment: 'ci',
      tags: { job: 'build' },
    })
    await project.hasAccounting({ 'accepted error': 1 })
  })

  test.concurrent('monitors run reports a run, and both check-ins are counted', async () => {
    const project = await product().projectAtOnce('cli monitor')
    const job = [process.execPath, '--eval', '0']
    const schedule = ['--schedule', '*/5 * * * *']
    const end = await cli(project.dsn, 'monitors', 'run', 'nightly', ...schedule, '--', ...job)
    expect(end).toMatchObject({ code: 0 })
    await project.hasAccounting({ 'accepted monitor': 2 })
  })
})

const hexId = /^[0-9a-f]{32}$/

/** Uses a home folder of its own, so that no configuration of this machine applies. */
async function cli(dsn: string, ...args: string[]): Promise<ProgramEnd> {
  const home = await mkdtemp(join(tmpdir(), 'sluice-cli-'))
  try {
    const program = join(projectRoot, 'node_modules/.bin/sentry-cli')
    return await runProgram(program, args, {
      HOME: home,
      SENTRY_DSN: dsn,
      SENTRY_DISABLE_UPDATE_CHECK: 'true',
    })
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
