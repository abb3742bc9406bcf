import { describe, expect, test } from 'vitest'
import { type ClientReport, runClient } from '../fixtures/processes/run-client.ts'
import { commonProduct } from '../fixtures/processes/running-product.ts'

const product = commonProduct()

interface Frame {
  readonly function: string
  readonly filename: string
  readonly in_app: boolean
}

/** The parts of a stored event that the tests check. */
interface Payload {
  readonly exception: {
    readonly values: readonly {
      readonly type: string
      readonly value: string
      readonly mechanism?: { readonly handled?: boolean; readonly type?: string }
      readonly stacktrace?: { readonly frames: readonly Frame[] }
    }[]
  }
  readonly breadcrumbs: { readonly values: readonly { readonly message: string }[] }
  readonly contexts: Readonly<Record<string, unknown>>
  readonly extra: Readonly<Record<string, unknown>>
  readonly sdk: { readonly name: string; readonly version: string }
}

function expectSuccess(report: ClientReport, requests: number): void {
  expect(report).toMatchObject({ code: 0, flushed: true, losses: [] })
  expect(report.statuses.filter((status) => status !== 200)).toEqual([])
  expect(report.statuses.length).toBeGreaterThanOrEqual(requests)
}

describe.each([
  ['@sentry/node', /^11\./],
  ['@sentry/node-10', /^10\./],
])('%s', (sdk, version) => {
  const run = (scenario: string, dsn: string) => runClient('node-sdk.mjs', sdk, scenario, dsn)

  test.concurrent('an error with its cause, sent by two runs, is one issue with two events', async () => {
    const project = await product().project('cause chain')
    const first = await run('chain', project.dsn)
    await project.hasEvents(1)
    const second = await run('chain', project.dsn)
    for (const report of [first, second]) expectSuccess(report, 1)
    await project.hasEvents(2)

    const issue = await project.issue()
    expect(issue).toMatchObject({
      title: 'Error: order 42 was not placed',
      culprit: 'scenarios.mjs in placeOrder',
      level: 'error',
      platform: 'node',
      status: 'unresolved',
      substatus: 'new',
      count: 2,
      first_release: 'shop@1.4.0',
      last_release: 'shop@1.4.0',
      environments: ['staging'],
      components: [],
    })
    expect(issue.grouping.version).toBe('g1')
    expect(issue.grouping.explanation).toMatchObject({ path: 'exception-stack' })
    expect(issue.grouping.explanation?.summary).toMatch(
      /^Grouped by the types of 2 chained exceptions and \d+ in-app frames\./,
    )
    expect(issue.grouping.hashes).toHaveLength(1)

    const [firstId, secondId] = [first.eventIds[0]!, second.eventIds[0]!]
    const event = await project.event(secondId)
    expect(event).toMatchObject({
      id: secondId,
      issue_id: issue.id,
      previous_event_id: firstId,
      next_event_id: null,
      release: 'shop@1.4.0',
      environment: 'staging',
    })
    expect(await project.event(firstId)).toMatchObject({
      previous_event_id: null,
      next_event_id: secondId,
    })
    const payload = event.payload as Payload
    expect(payload.sdk.version).toMatch(version)
    expect(payload.exception.values.map(({ type, value }) => `${type}: ${value}`)).toEqual([
      'RangeError: card 4711 was declined',
      'Error: order 42 was not placed',
    ])
    expect(payload.exception.values[1]?.mechanism?.handled).toBe(true)
    expect(payload.exception.values[0]?.stacktrace?.frames.at(-1)).toMatchObject({
      function: 'chargeCard',
      in_app: true,
    })
    await project.hasAccountingAmong({ 'accepted error': 2 })
  })

  test.concurrent('an AggregateError keeps all its errors', async () => {
    const project = await product().projectAtOnce('aggregate')
    expectSuccess(await run('aggregate', project.dsn), 1)
    await project.hasEvents(1)
    const { payload, title } = await project.onlyEvent()
    expect(title).toBe('AggregateError: both payments failed')
    const types = (payload as Payload).exception.values.map(({ type }) => type)
    expect(types.toSorted()).toEqual(['AggregateError', 'RangeError', 'TypeError'])
  })

  test.concurrent('a message keeps its level', async () => {
    const project = await product().projectAtOnce('message')
    expectSuccess(await run('message', project.dsn), 1)
    await project.hasEvents(1)
    expect(await project.issue()).toMatchObject({
      title: 'Disk 3 is nearly full',
      level: 'warning',
    })
  })

  test.concurrent('tags, user, extra, breadcrumbs, contexts and a fingerprint are stored', async () => {
    const project = await product().projectAtOnce('rich')
    const report = await run('rich', project.dsn)
    expectSuccess(report, 1)
    await project.hasEvents(1)
    const event = await project.event(report.eventIds[0]!)
    expect(event).toMatchObject({
      level: 'fatal',
      user: { id: '17', email: 'ada@example.test', name: 'ada' },
      tags: { queue: 'orders', attempt: '3' },
      payload: {
        extra: { basket: { books: 2 } },
        contexts: { order: { total: 12.5, currency: 'PLN' } },
        fingerprint: ['orders', '{{ default }}'],
      },
    })
    const messages = (event.payload as Payload).breadcrumbs.values.map(({ message }) => message)
    expect(messages).toContain('added a book')
    const issue = await project.issue()
    expect(issue).toMatchObject({ level: 'fatal', user_count: 1 })
    expect(issue.tags['queue']).toEqual([{ value: 'orders', count: 1 }])
  })

  test.concurrent('an uncaught error is sent before the process exits', async () => {
    const project = await product().projectAtOnce('crash')
    const report = await run('crash', project.dsn)
    expect(report.code).not.toBe(0)
    expect(report.statuses.filter((status) => status !== 200)).toEqual([])
    await project.hasEvents(1)
    const { payload, level } = await project.onlyEvent()
    expect(level).toBe('fatal')
    // Each major version marks a different exception of the chain.
    const { values } = (payload as Payload).exception
    expect(values.some(({ mechanism }) => mechanism?.handled === false)).toBe(true)
  })

  test.concurrent('an event over 32 KiB, which the SDK compresses, is stored whole', async () => {
    const project = await product().projectAtOnce('large')
    expectSuccess(await run('large', project.dsn), 1)
    await project.hasEvents(1)
    const { extra } = (await project.onlyEvent()).payload as Payload
    expect(JSON.stringify(extra).length).toBeGreaterThan(59_000)
  })

  test.concurrent('text in any script is stored, and a lone surrogate does no harm', async () => {
    const project = await product().projectAtOnce('unicode')
    expectSuccess(await run('unicode', project.dsn), 1)
    await project.hasEvents(1)
    const { title, tags, payload } = await project.onlyEvent()
    expect(title).toMatch(/^Error: Zażółć 😀 \ufffd gęślą \ufffd$/)
    expect(tags).toMatchObject({ city: 'Łódź 🏙' })
    expect(Object.keys((payload as Payload).extra)).toContain('klucz 😀')
  })

  test.concurrent('a component DSN sets the component of issue and event', async () => {
    const project = await product().projectAtOnce('component')
    const key = await product().adminJsonOfDemo<{ dsn: string }>(
      ...['key', 'create', '--project', project.id, '--label', 'worker'],
    )
    expectSuccess(await run('message', key.dsn), 1)
    await project.hasEvents(1)
    expect((await project.issue()).components).toEqual(['worker'])
    expect((await project.onlyEvent()).component).toBe('worker')
  })

  test.concurrent('every other kind of item is accepted or counted as unsupported', async () => {
    const project = await product().projectAtOnce('items')
    const report = await run('items', project.dsn)
    expect(report).toMatchObject({ code: 0, flushed: true, losses: ['before_send error'] })
    expect(report.statuses.filter((status) => status !== 200)).toEqual([])
    const sessions = report.itemTypes.filter((type) => type.startsWith('session')).length
    expect(sessions).toBeGreaterThan(0)
    await project.hasEvents(1)
    await project.hasAccounting({
      'accepted error': 1,
      'accepted monitor': 2,
      'accepted session': sessions,
      'accepted feedback': 1,
      'accepted internal': 1,
      'client_discard before_send error': 1,
      'unsupported unsupported:log log_item': 1,
      'unsupported unsupported:attachment attachment': 1,
    })
  })
})

test('a new event of a resolved issue marks it as regressed', async () => {
  const project = await product().projectAtOnce('regression')
  const run = () => runClient('node-sdk.mjs', '@sentry/node', 'chain', project.dsn)
  await run()
  await project.hasEvents(1)
  const { id } = await project.issue()
  expect((await project.changeIssue(id, 'resolved')).body).toMatchObject({ status: 'resolved' })
  expect((await project.issue()).status).toBe('resolved')
  await run()
  await project.hasEvents(2)
  const issue = await project.issue()
  expect(issue).toMatchObject({ id, status: 'unresolved', substatus: 'regressed', count: 2 })
  expect(issue.activity.map(({ kind }) => kind)).toHaveLength(2)
})
