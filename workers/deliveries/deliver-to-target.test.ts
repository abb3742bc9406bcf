/** Deliveries against a local receiver, with a simulated clock. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { createWebhookSecret } from '#platform/http/sign-webhook.ts'
import { SecretBox } from '#platform/secret-box.ts'
import { addTarget } from '../../test/fixtures/notifications/add-target.ts'
import {
  box,
  deliveryDeskOfThisFile,
  hourMs,
  payload,
  secret,
  startMs,
} from '../../test/fixtures/notifications/delivery-desk.ts'
import type { SendAlertEmail } from './alert-email.ts'
import { deliverToTarget } from './deliver-to-target.ts'
import { failOverdue } from './delivery-store.ts'
import { OrganizationSlots } from './organization-slots.ts'
import { retryWindowMs } from './retry-schedule.ts'

const desk = deliveryDeskOfThisFile()
const { webhook, add, deliveries, states, targetRow, waitingJobs, idsReceived } = desk

describe('a due delivery', () => {
  test('is sent, signed, and recorded once', async () => {
    desk.receiver.answer = () => ({ status: 200, body: 'thanks' })
    const target = await webhook()
    const id = await add(target)
    await deliverToTarget(desk.ctx, target.id)
    expect(await deliveries(target)).toEqual([
      {
        id,
        state: 'delivered',
        attempt_count: 1,
        attempts: [
          {
            at: '2026-11-23T08:00:00.000Z',
            status: 200,
            latency_ms: expect.any(Number),
            error: null,
            response: 'thanks',
          },
        ],
        next_attempt_at: null,
        finished_at: new Date(desk.nowMs),
      },
    ])
    const [request] = desk.receiver.requests
    expect(request!.headers['webhook-timestamp']).toBe(String(startMs / 1_000))
    expect(JSON.parse(request!.body)).toEqual(payload)
    expect(request!.headers['webhook-id']).toBe(id)
    expect(desk.counted).toEqual(['webhook delivered'])
    expect(await waitingJobs()).toEqual([])
    expect(await targetRow(target)).toMatchObject({ lease_id: null, leased_until: null })
  })

  test('is verified with the library, with both secrets until the rotation ends', async () => {
    desk.nowMs = systemClock.nowMs()
    const before = createWebhookSecret()
    const until = new Date(desk.nowMs + hourMs).toISOString()
    const target = await webhook({ secrets: [{ value: secret }, { value: before, until }] })
    await add(target)
    await deliverToTarget(desk.ctx, target.id)
    const { body, headers } = desk.receiver.requests[0]!
    for (const each of [secret, before]) {
      const verify = () => new Webhook(each).verify(body, headers as Record<string, string>)
      expect(verify()).toEqual(payload)
    }
    desk.nowMs += 2 * hourMs
    await add(target)
    await deliverToTarget(desk.ctx, target.id)
    expect(desk.receiver.requests[1]!.headers['webhook-signature']).toMatch(/^v1,\S{44}$/)
  })

  test('comes in the order in which deliveries became due', async () => {
    const target = await webhook()
    const second = await add(target, desk.nowMs - 1_000)
    const first = await add(target, desk.nowMs - 2_000)
    const third = await add(target, desk.nowMs)
    await add(target, desk.nowMs + 5_000)
    await deliverToTarget(desk.ctx, target.id)
    expect(idsReceived()).toEqual([first, second, third])
    expect(await waitingJobs()).toHaveLength(1)
  })

  test('keeps only the first KiB of a response, and texts that Postgres accepts', async () => {
    desk.receiver.answer = () => ({ status: 500, body: `a\u0000${'é'.repeat(5_000)}` })
    const target = await webhook()
    await add(target)
    await deliverToTarget(desk.ctx, target.id)
    const [{ attempts }] = await deliveries(target)
    expect(attempts[0].response).toBe(`a${'é'.repeat(1_022)}`)
  })
})

describe('a failing receiver', () => {
  test('is asked for three days, with the same id, and then no more', async () => {
    desk.receiver.answer = () => ({ status: 500 })
    const target = await webhook()
    const id = await add(target)
    let runs = 0
    while ((await states(target))[0] === 'pending' && runs < 100) {
      runs += 1
      await deliverToTarget(desk.ctx, target.id)
      const [{ next_attempt_at }] = await deliveries(target)
      const { open_until } = await targetRow(target)
      desk.nowMs = Math.max(desk.nowMs, next_attempt_at?.getTime() ?? 0, open_until?.getTime() ?? 0)
    }
    const [row] = await deliveries(target)
    expect(row).toMatchObject({ state: 'failed', next_attempt_at: null })
    expect(desk.nowMs - startMs).toBeLessThanOrEqual(retryWindowMs)
    expect(desk.nowMs - startMs).toBeGreaterThan(48 * hourMs)
    expect(desk.receiver.requests.length).toBe(row.attempt_count)
    expect(row.attempt_count).toBeGreaterThan(10)
    expect(row.attempts).toHaveLength(Math.min(20, row.attempt_count))
    expect(new Set(idsReceived())).toEqual(new Set([id]))
    expect(desk.counted.at(-1)).toBe('webhook failed')
    // Each attempt has its own time, because receivers refuse old ones.
    const times = desk.receiver.requests.map(({ headers }) => headers['webhook-timestamp'])
    expect(new Set(times).size).toBe(times.length)
  })

  test('does not let deliveries that it never gets wait without end', async () => {
    const target = await webhook()
    await add(target, desk.nowMs - retryWindowMs - 1)
    await add(target, desk.nowMs - retryWindowMs + 1)
    expect(await failOverdue(desk.pg, new Date(desk.nowMs))).toBe(1)
    const [old] = await deliveries(target)
    expect(old).toMatchObject({ state: 'failed', next_attempt_at: null, attempt_count: 0 })
    expect(old.attempts[0]).toMatchObject({
      status: null,
      error: expect.stringMatching(/three days/),
    })
    expect(await states(target)).toEqual(['failed', 'pending'])
    expect(await failOverdue(desk.pg, new Date(desk.nowMs))).toBe(0)
  })

  test('that hangs leaves places for other organizations, and is tried again later', async () => {
    const slots = new OrganizationSlots({
      targetsMax: 1,
      slowMax: 1,
      slowMs: 1_000,
      spacingMs: 250,
      waitMsMax: 60_000,
    })
    let answer = () => {}
    const after = new Promise<void>((resolve) => {
      answer = resolve
    })
    desk.receiver.answer = () => ({ status: 204, after })
    const [hanging, other] = [await webhook(), await webhook()]
    await add(hanging)
    await add(other)
    const first = deliverToTarget(desk.ctx, hanging.id, slots)
    await expect.poll(() => desk.receiver.requests.length).toBe(1)
    await deliverToTarget(desk.ctx, other.id, slots)
    expect(desk.receiver.requests.length).toBe(1)
    expect(await waitingJobs()).toEqual([
      { key: `deliver:${other.id}`, inSeconds: expect.any(Number) },
    ])
    expect(await targetRow(other)).toMatchObject({ lease_id: null, leased_until: null })
    answer()
    await first
    await deliverToTarget(desk.ctx, other.id, slots)
    expect(await states(other)).toEqual(['delivered'])
  })

  test('that answers again gets the delivery', async () => {
    const answers = [503, 204]
    desk.receiver.answer = () => ({ status: answers.shift() ?? 500 })
    const target = await webhook()
    await add(target)
    await deliverToTarget(desk.ctx, target.id)
    expect(await waitingJobs()).toEqual([
      { key: `deliver:${target.id}`, inSeconds: expect.any(Number) },
    ])
    desk.nowMs += 6_000
    await deliverToTarget(desk.ctx, target.id)
    const [row] = await deliveries(target)
    expect(row.state).toBe('delivered')
    expect(row.attempts.map(({ status }: { status: number }) => status)).toEqual([503, 204])
    expect(await targetRow(target)).toMatchObject({ failures: 0, open_until: null })
  })

  test('keeps the last twenty attempts', async () => {
    desk.receiver.answer = () => ({ status: 503 })
    const target = await webhook()
    const id = await add(target)
    const old = Array.from({ length: 20 }, (_, index) => ({ at: String(index), status: index }))
    await desk.pg.query('update notification_deliveries set attempts = $2 where id = $1', [
      id,
      JSON.stringify(old),
    ])
    await deliverToTarget(desk.ctx, target.id)
    const [{ attempts }] = await deliveries(target)
    expect(attempts).toHaveLength(20)
    expect(attempts[0]).toEqual(old[1])
    expect(attempts[19]).toMatchObject({ status: 503, error: 'The receiver answered 503.' })
  })
})

describe('the circuit breaker', () => {
  test('opens after five failures, lets one probe pass, and closes when it succeeds', async () => {
    desk.receiver.answer = () => ({ status: 500 })
    const target = await webhook()
    for (let index = 0; index < 8; index += 1) await add(target, desk.nowMs - 100 + index)
    await deliverToTarget(desk.ctx, target.id)
    expect(desk.receiver.requests).toHaveLength(5)
    expect(await targetRow(target)).toMatchObject({
      failures: 5,
      open_until: new Date(desk.nowMs + 60_000),
    })
    expect((await waitingJobs())[0]!.inSeconds).not.toBeNaN()

    desk.nowMs += 59_000
    await deliverToTarget(desk.ctx, target.id)
    expect(desk.receiver.requests).toHaveLength(5)

    desk.nowMs += 1_000
    await deliverToTarget(desk.ctx, target.id)
    expect(desk.receiver.requests).toHaveLength(6)
    expect(await targetRow(target)).toMatchObject({
      failures: 6,
      open_until: new Date(desk.nowMs + 120_000),
    })

    desk.nowMs += 120_000
    desk.receiver.answer = () => ({ status: 204 })
    await deliverToTarget(desk.ctx, target.id)
    desk.nowMs += hourMs
    await deliverToTarget(desk.ctx, target.id)
    expect(await targetRow(target)).toMatchObject({ failures: 0, open_until: null })
    expect(new Set(await states(target))).toEqual(new Set(['delivered']))
  })

  test('of one target does not stop another', async () => {
    desk.receiver.answer = ({ path }) => ({ status: path === '/hook' ? 500 : 204 })
    const failing = await webhook()
    const other = await webhook({ target: { type: 'webhook', url: `${desk.receiver.url}/other` } })
    for (let index = 0; index < 6; index += 1) await add(failing)
    await add(other)
    await deliverToTarget(desk.ctx, failing.id)
    await deliverToTarget(desk.ctx, other.id)
    expect(await states(other)).toEqual(['delivered'])
  })
})

describe('Retry-After', () => {
  test('of 429 pauses the target and is no failure', async () => {
    desk.receiver.answer = () => ({ status: 429, headers: { 'retry-after': '120' } })
    const target = await webhook()
    await add(target, desk.nowMs - 1)
    await add(target)
    await deliverToTarget(desk.ctx, target.id)
    expect(desk.receiver.requests).toHaveLength(1)
    const open_until = new Date(desk.nowMs + 120_000)
    expect(await targetRow(target)).toMatchObject({ failures: 0, open_until })
    desk.nowMs += 120_000
    desk.receiver.answer = () => ({ status: 204 })
    await deliverToTarget(desk.ctx, target.id)
    expect((await states(target)).sort()).toEqual(['delivered', 'delivered'])
  })
})

describe('a target that is gone', () => {
  test('is disabled by 410, and what waits for it ends', async () => {
    desk.receiver.answer = () => ({ status: 410 })
    const target = await webhook()
    await add(target, desk.nowMs - 1)
    await add(target)
    await add(target, desk.nowMs + hourMs)
    await deliverToTarget(desk.ctx, target.id)
    expect(desk.receiver.requests).toHaveLength(1)
    expect(await states(target)).toEqual(['failed', 'failed', 'failed'])
    expect(await targetRow(target)).toMatchObject({
      disabled_at: new Date(desk.nowMs),
      disabled_reason: 'The receiver answered 410.',
    })
    expect((await deliveries(target))[1].attempts[0].error).toBe(
      'The target is disabled. The receiver answered 410.',
    )
    expect(await waitingJobs()).toEqual([])
  })

  test('or disabled by a person gets nothing more', async () => {
    const target = await webhook()
    await desk.pg.query('update notification_targets set disabled_at = now() where id = $1', [
      target.id,
    ])
    await add(target)
    await deliverToTarget(desk.ctx, target.id)
    expect(desk.receiver.requests).toEqual([])
    expect(await states(target)).toEqual(['failed'])
  })

  test('or deleted needs nothing', async () => {
    const target = await webhook()
    await add(target)
    await desk.pg.query('delete from alert_rules where id = $1', [target.ruleId])
    await deliverToTarget(desk.ctx, target.id)
    expect(desk.receiver.requests).toEqual([])
    expect(await waitingJobs()).toEqual([])
  })

  test('or deleted during the request is no error', async () => {
    const target = await webhook()
    await add(target)
    desk.receiver.answer = () => ({
      status: 204,
      after: desk.pg.query('delete from alert_rules where id = $1', [target.ruleId]),
    })
    await deliverToTarget(desk.ctx, target.id)
    expect(await deliveries(target)).toEqual([])
  })
})

describe('settings that cannot be used', () => {
  test('of another secret are retried until an operator restores it', async () => {
    const other = new SecretBox('another secret of the tests, long enough')
    const target = await webhook({ box: other })
    await add(target)
    await deliverToTarget(desk.ctx, target.id)
    const [row] = await deliveries(target)
    expect(row.state).toBe('pending')
    expect(row.attempts[0].error).toMatch(/SLUICE_SECRET/)
    desk.nowMs += 6_000
    await deliverToTarget({ ...desk.ctx, box: other }, target.id)
    expect(await states(target)).toEqual(['delivered'])
  })

  test('that lead inside are refused, and the log does not say where', async () => {
    const target = await webhook({ target: { type: 'webhook', url: 'http://10.9.8.7/admin' } })
    await add(target)
    await deliverToTarget(desk.ctx, target.id)
    const [{ state, attempts }] = await deliveries(target)
    expect([state, attempts[0].status]).toEqual(['pending', null])
    expect(attempts[0].error).toMatch(/public address/)
    expect(attempts[0].error).not.toContain('10.9.8.7')
  })

  test.each([['of an invalid ntfy topic', { type: 'ntfy', url: 'http://127.0.0.1/%zz' }]] as const)(
    '%s fail once',
    async (_what, settings) => {
      const target = await webhook({ target: settings })
      await add(target)
      await deliverToTarget(desk.ctx, target.id)
      expect(await states(target)).toEqual(['failed'])
    },
  )
})

describe('email targets', () => {
  const target = { type: 'email', to: ['owners'] } as const
  const email = async (sendAlertEmail: SendAlertEmail) => {
    const added = await addTarget(desk.pg, {
      project: desk.project,
      box,
      target: { ...target, to: ['owners'] },
    })
    const id = await add(added)
    await deliverToTarget({ ...desk.ctx, sendAlertEmail }, added.id)
    return { added, id, row: (await deliveries(added))[0] }
  }

  test('are handed over with the delivery', async () => {
    const calls: unknown[] = []
    const { added, id, row } = await email(async (...call) => {
      calls.push(call)
      return { kind: 'queued', emails: 2 }
    })
    const { organizationId, ruleId } = added
    expect(calls).toEqual([[{ id, organizationId, ruleId, payload, isTest: false }, target]])
    expect(row.state).toBe('delivered')
  })

  test('without recipients fail, and errors are retried', async () => {
    const { row } = await email(async () => ({ kind: 'failed', reason: 'No owner.' }))
    expect([row.state, row.attempts[0].error]).toEqual(['failed', 'No owner.'])
    const thrown = await email(() => Promise.reject(new Error('no ledger')))
    expect([thrown.row.state, thrown.row.attempts[0].error]).toEqual([
      'pending',
      'The emails could not be queued.',
    ])
  })
})
