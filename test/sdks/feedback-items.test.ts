import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { runClient } from '../fixtures/processes/run-client.ts'
import { commonProduct } from '../fixtures/processes/running-product.ts'
import { waitUntil } from '../fixtures/processes/wait-until.ts'
import type { TestProject } from '../fixtures/test-project.ts'

const product = commonProduct()

/**
 * The job that links feedback to its event runs every few seconds, and retries a missing event
 * after ten.
 */

interface FeedbackRow {
  readonly id: string
  readonly message: string
  readonly version: string | null
  readonly event_id: string | null
  readonly event_hash: string | null
}

async function feedbackOf(project: TestProject): Promise<FeedbackRow[]> {
  const { rows } = await product().postgres.query<FeedbackRow>(
    `select id, message, type, status, source, path, version, environment, person_name, person_email,
       event_id, event_hash from feedback where project_id = $1 order by created_at`,
    [project.dsnId],
  )
  return rows
}

const bare = (uuid: string | null | undefined) => uuid?.replaceAll('-', '')

/** The only feedback of the project, once it is linked to its event. */
async function linkedFeedback(project: TestProject): Promise<FeedbackRow> {
  return waitUntil('the event of a feedback', async () => {
    const [row, ...others] = await feedbackOf(project)
    expect(others).toEqual([])
    return row?.event_hash != null && row
  })
}

function envelope(header: object, ...items: readonly (readonly [string, object])[]): string {
  const lines = [JSON.stringify(header)]
  for (const [type, payload] of items) lines.push(JSON.stringify({ type }), JSON.stringify(payload))
  return lines.join('\n')
}

describe.each(['@sentry/node', '@sentry/node-10', '@sentry/browser'])('%s', (sdk) => {
  test('captureFeedback creates feedback that is linked to its event', async () => {
    const project = await product().projectAtOnce('feedback')
    const { flushed, losses, eventIds } = await runClient('feedback-sdk.mjs', sdk, project.dsn)
    expect({ flushed, losses }).toEqual({ flushed: true, losses: [] })
    const [eventId, feedbackId] = eventIds
    const row = await linkedFeedback(project)
    expect(row).toMatchObject({
      message: 'It forgot my cart. My password=[Filtered] did not help.',
      type: 'Bug',
      status: 'New',
      source: 'Widget',
      path: '/cart',
      version: 'shop@1.4.0',
      environment: 'staging',
      person_name: 'Ada',
      person_email: 'ada@example.test',
    })
    expect([bare(row.id), bare(row.event_id)]).toEqual([feedbackId, eventId])
    // The rows of a range are there before the commit that counts them.
    const issuesOfHash = async () => {
      const { rows } = await product().postgres.query(
        'select count(*)::int as count from issue_hashes where project_id = $1 and hash = $2',
        [project.dsnId, row.event_hash],
      )
      return rows
    }
    await expect.poll(issuesOfHash).toEqual([{ count: 1 }])
    await project.hasAccountingAmong({ 'accepted error': 1, 'accepted feedback': 1 })
  })
})

describe('user reports', () => {
  test('a report that arrives before its event gets the fields of the event', async () => {
    const project = await product().projectAtOnce('early report')
    const eventId = randomBytes(16).toString('hex')
    const report = {
      event_id: eventId,
      name: null,
      email: 'ada@example.test',
      comments: 'It broke',
    }
    const body = envelope({ event_id: eventId }, ['user_report', report])
    expect((await project.send({ body })).status).toBe(200)
    await waitUntil('the report', async () => (await feedbackOf(project)).length === 1)
    expect((await feedbackOf(project))[0]).toMatchObject({ version: null, event_hash: null })

    const event = {
      event_id: eventId,
      message: 'late',
      release: 'shop@2',
      request: { url: 'https://shop.example.test/pay?x=1' },
    }
    expect((await project.send({ body: envelope({}, ['event', event]) })).status).toBe(200)
    expect(await linkedFeedback(project)).toMatchObject({
      message: 'It broke',
      type: 'Bug',
      source: 'Api',
      version: 'shop@2',
      path: '/pay',
      person_name: null,
      person_email: 'ada@example.test',
    })
  })

  test('a repeated request adds nothing', async () => {
    const project = await product().projectAtOnce('repeated report')
    const report = { event_id: 'ab'.repeat(16), comments: 'Again' }
    const body = envelope({ sent_at: '2026-11-21T10:00:00Z' }, ['user_report', report])
    for (const _sent of [1, 2]) expect((await project.send({ body })).status).toBe(200)
    const accounting = () => project.accounting()
    await waitUntil('both requests', async () => {
      const quantities = Object.values(await accounting())
      return quantities.reduce((sum, quantity) => sum + quantity, 0) === 2
    })
    expect(await feedbackOf(project)).toMatchObject([{ message: 'Again' }])
  })

  test('feedback without a message is rejected and counted', async () => {
    const project = await product().projectAtOnce('empty feedback')
    const body = envelope(
      {},
      ['user_report', { event_id: 'ab'.repeat(16), comments: ' ' }],
      ['feedback', { contexts: { feedback: {} } }],
    )
    expect((await project.send({ body })).status).toBe(200)
    await project.hasAccounting({
      'rejected invalid_feedback user_report_v2': 1,
      'rejected invalid_feedback feedback': 1,
    })
    expect(await feedbackOf(project)).toEqual([])
  })
})
