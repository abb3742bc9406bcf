/** Deliveries against a local receiver, with a simulated clock. */
import { runMigrations } from 'graphile-worker'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '#platform/clock.ts'
import { createSafeRequest } from '#platform/http/safe-request/safe-request.ts'
import { targetSettings } from '#platform/http/safe-request/target-url.ts'
import { createWebhookSecret } from '#platform/http/sign-webhook.ts'
import { createLogger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { SecretBox } from '#platform/secret-box.ts'
import type { ProjectId } from '#schemas/ids.ts'
import {
  type AddedTarget,
  addDelivery,
  addTarget,
  type NewTarget,
} from '../../test/fixtures/notifications/add-target.ts'
import { Receiver, targetsAt } from '../../test/fixtures/notifications/receiver.ts'
import { samplePayloads } from '../../test/fixtures/notifications/sample-payloads.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { startJobs } from '../jobs/job-runner.ts'
import type { SendAlertEmail } from './alert-email.ts'
import { type DeliveryContext, deliverToTarget } from './deliver-to-target.ts'
import { countDeliveries } from './delivery-count-store.ts'
import { deliveryTasks } from './delivery-jobs.ts'
import { failOverdue, resumeDeliveries } from './delivery-store.ts'
import { OrganizationSlots } from './organization-slots.ts'
import { retryWindowMs } from './retry-schedule.ts'

let pg: Pool
let project: ProjectId
usePostgres((fixture) => {
  ;({ pg, project } = fixture)
})

let receiver: Receiver
beforeAll(async () => {
  receiver = await Receiver.start()
})
afterAll(() => receiver.close())

const box = new SecretBox('a secret of the tests, of enough characters')
const secret = createWebhookSecret()
const startMs = Date.parse('2026-11-23T08:00:00.000Z')
const hourMs = 3_600_000
let nowMs: number
let counted: string[]
let ctx: DeliveryContext

beforeEach(async () => {
  await runMigrations({ pgPool: pg })
  await pg.query('delete from notification_targets')
  await pg.query('delete from graphile_worker._private_jobs')
  nowMs = startMs
  counted = []
  receiver.requests.length = 0
  receiver.answer = () => ({ status: 204 })
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: systemClock.monotonicMs }
  ctx = {
    pg,
    box,
    request: createSafeRequest({
      settings: targetSettings(['127.0.0.0/8']),
      resolve: () => Promise.reject(new Error('no name is resolved')),
      clock: systemClock,
      timeoutMs: 2_000,
    }),
    urls: receiver.channelUrls,
    sendAlertEmail: async () => ({ kind: 'failed', reason: 'No emails here.' }),
    clock,
    log: createLogger('test', 'silent'),
    count: (type, end) => void counted.push(`${type} ${end}`),
    signal: new AbortController().signal,
  }
})

const webhook = (more: Partial<NewTarget> = {}): Promise<AddedTarget> =>
  addTarget(pg, {
    project,
    box,
    target: targetsAt(receiver.url).webhook,
    secrets: [{ value: secret }],
    ...more,
  })

const payload = samplePayloads['a new issue']
const add = (target: AddedTarget, atMs = nowMs) =>
  addDelivery(pg, target, { payload, at: new Date(atMs) })

async function deliveries(target: AddedTarget) {
  const { rows } = await pg.query(
    `select id, state, attempts, attempt_count, next_attempt_at, finished_at from notification_deliveries
      where target_id = $1 order by id`,
    [target.id],
  )
  return rows
}
const states = async (target: AddedTarget) => (await deliveries(target)).map(({ state }) => state)

async function targetRow({ id }: AddedTarget) {
  const { rows } = await pg.query('select * from notification_targets where id = $1', [id])
  return rows[0]
}

async function waitingJobs(): Promise<{ key: string; inSeconds: number }[]> {
  const { rows } = await pg.query(
    `select key, extract(epoch from run_at - now())::float8 as "inSeconds" from graphile_worker.jobs order by key`,
  )
  return rows
}

const idsReceived = () => receiver.requests.map(({ headers }) => headers['webhook-id'])

describe('a due delivery', () => {
  test('is sent, signed, and recorded once', async () => {
    receiver.answer = () => ({ status: 200, body: 'thanks' })
    const target = await webhook()
    const id = await add(target)
    await deliverToTarget(ctx, target.id)
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
        finished_at: new Date(nowMs),
      },
    ])
    const [request] = receiver.requests
    expect(request!.headers['webhook-timestamp']).toBe(String(startMs / 1_000))
    expect(JSON.parse(request!.body)).toEqual(payload)
    expect(request!.headers['webhook-id']).toBe(id)
    expect(counted).toEqual(['webhook delivered'])
    expect(await waitingJobs()).toEqual([])
    expect(await targetRow(target)).toMatchObject({ lease_id: null, leased_until: null })
  })

  test('is verified with the library, with both secrets until the rotation ends', async () => {
    nowMs = systemClock.nowMs()
    const before = createWebhookSecret()
    const until = new Date(nowMs + hourMs).toISOString()
    const target = await webhook({ secrets: [{ value: secret }, { value: before, until }] })
    await add(target)
    await deliverToTarget(ctx, target.id)
    const { body, headers } = receiver.requests[0]!
    for (const each of [secret, before]) {
      const verify = () => new Webhook(each).verify(body, headers as Record<string, string>)
      expect(verify()).toEqual(payload)
    }
    nowMs += 2 * hourMs
    await add(target)
    await deliverToTarget(ctx, target.id)
    expect(receiver.requests[1]!.headers['webhook-signature']).toMatch(/^v1,\S{44}$/)
  })

  test('comes in the order in which deliveries became due', async () => {
    const target = await webhook()
    const second = await add(target, nowMs - 1_000)
    const first = await add(target, nowMs - 2_000)
    const third = await add(target, nowMs)
    await add(target, nowMs + 5_000)
    await deliverToTarget(ctx, target.id)
    expect(idsReceived()).toEqual([first, second, third])
    expect(await waitingJobs()).toHaveLength(1)
  })

  test('keeps only the first KiB of a response, and texts that Postgres accepts', async () => {
    receiver.answer = () => ({ status: 500, body: `a\u0000${'é'.repeat(5_000)}` })
    const target = await webhook()
    await add(target)
    await deliverToTarget(ctx, target.id)
    const [{ attempts }] = await deliveries(target)
    expect(attempts[0].response).toBe(`a${'é'.repeat(1_022)}`)
  })
})

describe('a failing receiver', () => {
  test('is asked for three days, with the same id, and then no more', async () => {
    receiver.answer = () => ({ status: 500 })
    const target = await webhook()
    const id = await add(target)
    let runs = 0
    while ((await states(target))[0] === 'pending' && runs < 100) {
      runs += 1
      await deliverToTarget(ctx, target.id)
      const [{ next_attempt_at }] = await deliveries(target)
      const { open_until } = await targetRow(target)
      nowMs = Math.max(nowMs, next_attempt_at?.getTime() ?? 0, open_until?.getTime() ?? 0)
    }
    const [row] = await deliveries(target)
    expect(row).toMatchObject({ state: 'failed', next_attempt_at: null })
    expect(nowMs - startMs).toBeLessThanOrEqual(retryWindowMs)
    expect(nowMs - startMs).toBeGreaterThan(48 * hourMs)
    expect(receiver.requests.length).toBe(row.attempt_count)
    expect(row.attempt_count).toBeGreaterThan(10)
    expect(row.attempts).toHaveLength(Math.min(20, row.attempt_count))
    expect(new Set(idsReceived())).toEqual(new Set([id]))
    expect(counted.at(-1)).toBe('webhook failed')
    // Each attempt has its own time, because receivers refuse old ones.
    const times = receiver.requests.map(({ headers }) => headers['webhook-timestamp'])
    expect(new Set(times).size).toBe(times.length)
  })

  test('does not let deliveries that it never gets wait without end', async () => {
    const target = await webhook()
    await add(target, nowMs - retryWindowMs - 1)
    await add(target, nowMs - retryWindowMs + 1)
    expect(await failOverdue(pg, new Date(nowMs))).toBe(1)
    const [old] = await deliveries(target)
    expect(old).toMatchObject({ state: 'failed', next_attempt_at: null, attempt_count: 0 })
    expect(old.attempts[0]).toMatchObject({
      status: null,
      error: expect.stringMatching(/three days/),
    })
    expect(await states(target)).toEqual(['failed', 'pending'])
    expect(await failOverdue(pg, new Date(nowMs))).toBe(0)
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
    receiver.answer = () => ({ status: 204, after })
    const [hanging, other] = [await webhook(), await webhook()]
    await add(hanging)
    await add(other)
    const first = deliverToTarget(ctx, hanging.id, slots)
    await expect.poll(() => receiver.requests.length).toBe(1)
    await deliverToTarget(ctx, other.id, slots)
    expect(receiver.requests.length).toBe(1)
    expect(await waitingJobs()).toEqual([
      { key: `deliver:${other.id}`, inSeconds: expect.any(Number) },
    ])
    expect(await targetRow(other)).toMatchObject({ lease_id: null, leased_until: null })
    answer()
    await first
    await deliverToTarget(ctx, other.id, slots)
    expect(await states(other)).toEqual(['delivered'])
  })

  test('that answers again gets the delivery', async () => {
    const answers = [503, 204]
    receiver.answer = () => ({ status: answers.shift() ?? 500 })
    const target = await webhook()
    await add(target)
    await deliverToTarget(ctx, target.id)
    expect(await waitingJobs()).toEqual([
      { key: `deliver:${target.id}`, inSeconds: expect.any(Number) },
    ])
    nowMs += 6_000
    await deliverToTarget(ctx, target.id)
    const [row] = await deliveries(target)
    expect(row.state).toBe('delivered')
    expect(row.attempts.map(({ status }: { status: number }) => status)).toEqual([503, 204])
    expect(await targetRow(target)).toMatchObject({ failures: 0, open_until: null })
  })

  test('keeps the last twenty attempts', async () => {
    receiver.answer = () => ({ status: 503 })
    const target = await webhook()
    const id = await add(target)
    const old = Array.from({ length: 20 }, (_, index) => ({ at: String(index), status: index }))
    await pg.query('update notification_deliveries set attempts = $2 where id = $1', [
      id,
      JSON.stringify(old),
    ])
    await deliverToTarget(ctx, target.id)
    const [{ attempts }] = await deliveries(target)
    expect(attempts).toHaveLength(20)
    expect(attempts[0]).toEqual(old[1])
    expect(attempts[19]).toMatchObject({ status: 503, error: 'The receiver answered 503.' })
  })
})

describe('the circuit breaker', () => {
  test('opens after five failures, lets one probe pass, and closes when it succeeds', async () => {
    receiver.answer = () => ({ status: 500 })
    const target = await webhook()
    for (let index = 0; index < 8; index += 1) await add(target, nowMs - 100 + index)
    await deliverToTarget(ctx, target.id)
    expect(receiver.requests).toHaveLength(5)
    expect(await targetRow(target)).toMatchObject({
      failures: 5,
      open_until: new Date(nowMs + 60_000),
    })
    expect((await waitingJobs())[0]!.inSeconds).not.toBeNaN()

    nowMs += 59_000
    await deliverToTarget(ctx, target.id)
    expect(receiver.requests).toHaveLength(5)

    nowMs += 1_000
    await deliverToTarget(ctx, target.id)
    expect(receiver.requests).toHaveLength(6)
    expect(await targetRow(target)).toMatchObject({
      failures: 6,
      open_until: new Date(nowMs + 120_000),
    })

    nowMs += 120_000
    receiver.answer = () => ({ status: 204 })
    await deliverToTarget(ctx, target.id)
    nowMs += hourMs
    await deliverToTarget(ctx, target.id)
    expect(await targetRow(target)).toMatchObject({ failures: 0, open_until: null })
    expect(new Set(await states(target))).toEqual(new Set(['delivered']))
  })

  test('of one target does not stop another', async () => {
    receiver.answer = ({ path }) => ({ status: path === '/hook' ? 500 : 204 })
    const failing = await webhook()
    const other = await webhook({ target: { type: 'webhook', url: `${receiver.url}/other` } })
    for (let index = 0; index < 6; index += 1) await add(failing)
    await add(other)
    await deliverToTarget(ctx, failing.id)
    await deliverToTarget(ctx, other.id)
    expect(await states(other)).toEqual(['delivered'])
  })
})

describe('Retry-After', () => {
  test('of 429 pauses the target and is no failure', async () => {
    receiver.answer = () => ({ status: 429, headers: { 'retry-after': '120' } })
    const target = await webhook()
    await add(target, nowMs - 1)
    await add(target)
    await deliverToTarget(ctx, target.id)
    expect(receiver.requests).toHaveLength(1)
    const open_until = new Date(nowMs + 120_000)
    expect(await targetRow(target)).toMatchObject({ failures: 0, open_until })
    nowMs += 120_000
    receiver.answer = () => ({ status: 204 })
    await deliverToTarget(ctx, target.id)
    expect((await states(target)).sort()).toEqual(['delivered', 'delivered'])
  })
})

describe('a target that is gone', () => {
  test('is disabled by 410, and what waits for it ends', async () => {
    receiver.answer = () => ({ status: 410 })
    const target = await webhook()
    await add(target, nowMs - 1)
    await add(target)
    await add(target, nowMs + hourMs)
    await deliverToTarget(ctx, target.id)
    expect(receiver.requests).toHaveLength(1)
    expect(await states(target)).toEqual(['failed', 'failed', 'failed'])
    expect(await targetRow(target)).toMatchObject({
      disabled_at: new Date(nowMs),
      disabled_reason: 'The receiver answered 410.',
    })
    expect((await deliveries(target))[1].attempts[0].error).toBe(
      'The target is disabled. The receiver answered 410.',
    )
    expect(await waitingJobs()).toEqual([])
  })

  test('or disabled by a person gets nothing more', async () => {
    const target = await webhook()
    await pg.query('update notification_targets set disabled_at = now() where id = $1', [target.id])
    await add(target)
    await deliverToTarget(ctx, target.id)
    expect(receiver.requests).toEqual([])
    expect(await states(target)).toEqual(['failed'])
  })

  test('or deleted needs nothing', async () => {
    const target = await webhook()
    await add(target)
    await pg.query('delete from alert_rules where id = $1', [target.ruleId])
    await deliverToTarget(ctx, target.id)
    expect(receiver.requests).toEqual([])
    expect(await waitingJobs()).toEqual([])
  })

  test('or deleted during the request is no error', async () => {
    const target = await webhook()
    await add(target)
    receiver.answer = () => ({
      status: 204,
      after: pg.query('delete from alert_rules where id = $1', [target.ruleId]),
    })
    await deliverToTarget(ctx, target.id)
    expect(await deliveries(target)).toEqual([])
  })
})

describe('two workers', () => {
  test('never send to one target at the same time', async () => {
    let open = 0
    let most = 0
    receiver.answer = () => {
      open += 1
      most = Math.max(most, open)
      const after = new Promise((resolve) => setTimeout(resolve, 30)).then(() => {
        open -= 1
      })
      return { status: 204, after }
    }
    const target = await webhook()
    for (let index = 0; index < 6; index += 1) await add(target)
    await Promise.all(Array.from({ length: 4 }, () => deliverToTarget(ctx, target.id)))
    expect(most).toBe(1)
    expect(receiver.requests).toHaveLength(6)
    expect(new Set(idsReceived()).size).toBe(6)
    // Those that found the lease taken look again, for deliveries that were added meanwhile.
    expect(await waitingJobs()).toHaveLength(1)
  })

  test('the lease of one that was killed ends, and the delivery is sent again with its id', async () => {
    const target = await webhook()
    const id = await add(target)
    // Sent, but killed before the record.
    const killed = { ...ctx, pg: failingAt(pg, /update notification_deliveries/) }
    await expect(deliverToTarget(killed, target.id)).rejects.toThrow('killed')
    expect(await states(target)).toEqual(['pending'])
    await deliverToTarget(ctx, target.id)
    expect(receiver.requests).toHaveLength(1)
    await pg.query(`update notification_targets set leased_until = now() where id = $1`, [
      target.id,
    ])
    await deliverToTarget(ctx, target.id)
    expect(idsReceived()).toEqual([id, id])
    const rows = await deliveries(target)
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ state: 'delivered', attempt_count: 1 })
  })

  test('one that lost its lease stops after its delivery', async () => {
    const target = await webhook()
    await add(target)
    await add(target)
    receiver.answer = () => ({
      status: 204,
      after: pg.query(
        `update notification_targets set lease_id = gen_random_uuid() where id = $1`,
        [target.id],
      ),
    })
    await deliverToTarget(ctx, target.id)
    expect(await states(target)).toEqual(['delivered', 'pending'])
  })
})

describe('settings that cannot be used', () => {
  test('of another secret are retried until an operator restores it', async () => {
    const other = new SecretBox('another secret of the tests, long enough')
    const target = await webhook({ box: other })
    await add(target)
    await deliverToTarget(ctx, target.id)
    const [row] = await deliveries(target)
    expect(row.state).toBe('pending')
    expect(row.attempts[0].error).toMatch(/SLUICE_SECRET/)
    nowMs += 6_000
    await deliverToTarget({ ...ctx, box: other }, target.id)
    expect(await states(target)).toEqual(['delivered'])
  })

  test('that lead inside are refused, and the log does not say where', async () => {
    const target = await webhook({ target: { type: 'webhook', url: 'http://10.9.8.7/admin' } })
    await add(target)
    await deliverToTarget(ctx, target.id)
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
      await deliverToTarget(ctx, target.id)
      expect(await states(target)).toEqual(['failed'])
    },
  )
})

describe('email targets', () => {
  const target = { type: 'email', to: ['owners'] } as const
  const email = async (sendAlertEmail: SendAlertEmail) => {
    const added = await addTarget(pg, { project, box, target: { ...target, to: ['owners'] } })
    const id = await add(added)
    await deliverToTarget({ ...ctx, sendAlertEmail }, added.id)
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

describe('a lost job', () => {
  test('is enqueued again, unless the breaker is open', async () => {
    const [due, later, open] = await Promise.all([webhook(), webhook(), webhook()])
    await add(due)
    await add(later, nowMs + hourMs)
    await add(open)
    await pg.query('update notification_targets set open_until = $2 where id = $1', [
      open.id,
      new Date(nowMs + 1_000),
    ])
    expect(await resumeDeliveries(pg, new Date(nowMs))).toBe(1)
    expect((await waitingJobs()).map(({ key }) => key)).toEqual([`deliver:${due.id}`])
    nowMs += 1_000
    expect(await resumeDeliveries(pg, new Date(nowMs))).toBe(2)
  })

  test('of a worker that was killed runs when its lease ends', async () => {
    const target = await webhook()
    await add(target)
    await pg.query(
      `update notification_targets set lease_id = id, leased_until = now() + interval '20 seconds' where id = $1`,
      [target.id],
    )
    await resumeDeliveries(pg, new Date(nowMs))
    const [job] = await waitingJobs()
    expect(job!.inSeconds).toBeGreaterThan(10)
    expect(job!.inSeconds).toBeLessThanOrEqual(20)
  })
})

test('a target with many deliveries gives way after twenty, and goes on at once', async () => {
  nowMs = systemClock.nowMs()
  const target = await webhook()
  for (let index = 0; index < 21; index += 1) await add(target)
  await deliverToTarget(ctx, target.id)
  expect((await states(target)).filter((state) => state === 'pending')).toHaveLength(1)
  expect((await waitingJobs()).map(({ inSeconds }) => inSeconds <= 0)).toEqual([true])
  await pg.query('delete from graphile_worker._private_jobs')
  receiver.answer = () => ({ status: 500 })
  await deliverToTarget(ctx, target.id)
  expect((await waitingJobs()).map(({ inSeconds }) => inSeconds > 0)).toEqual([true])
})

test('a slow target delays no other one, and a delivery that comes meanwhile is sent', async () => {
  nowMs = systemClock.nowMs()
  const clock = systemClock
  const jobs = await startJobs({
    pg,
    tasks: deliveryTasks({ ...ctx, clock }),
    jobsAtOnce: 4,
    log: createLogger('test', 'silent'),
  })
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  receiver.answer = ({ path }) =>
    path === '/hook' ? { status: 204, after: held } : { status: 204 }
  const enqueue = ({ id }: AddedTarget) =>
    jobs.addJob('deliver', { target_id: id }, { jobKey: `deliver:${id}` })
  const slow = await webhook()
  const quick = await webhook({ target: { type: 'webhook', url: `${receiver.url}/quick` } })
  await add(slow)
  await enqueue(slow)
  await expect.poll(() => receiver.requests.length).toBe(1)
  await add(quick, systemClock.nowMs())
  await enqueue(quick)
  await expect.poll(() => states(quick)).toEqual(['delivered'])
  await add(slow, systemClock.nowMs())
  await enqueue(slow)
  release()
  await expect.poll(() => states(slow)).toEqual(['delivered', 'delivered'])
  await expect.poll(waitingJobs).toEqual([])
  await jobs.stop()
})

test('the counts for the metrics', async () => {
  const [late, open, disabled] = await Promise.all([webhook(), webhook(), webhook()])
  await add(late, nowMs - 90_000)
  await add(late, nowMs + hourMs)
  await add(open, nowMs - hourMs)
  const soon = new Date(nowMs + 1_000)
  await pg.query('update notification_targets set open_until = $2 where id = $1', [open.id, soon])
  await pg.query('update notification_targets set disabled_at = $2 where id = $1', [
    disabled.id,
    soon,
  ])
  expect(await countDeliveries(pg, new Date(nowMs))).toEqual({
    pending: 3,
    lateSeconds: 90,
    targetsOpen: 1,
    targetsDisabled: 1,
  })
})

/** The pool, whose connections break when they are given such a statement. */
function failingAt(pool: Pool, pattern: RegExp): Pool {
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') {
        return async () => {
          const client = await target.connect()
          return new Proxy(client, {
            get(inner, key) {
              const value: unknown = Reflect.get(inner, key)
              if (key !== 'query') return typeof value === 'function' ? value.bind(inner) : value
              return (text: string, values: unknown[]) =>
                pattern.test(text) ? Promise.reject(new Error('killed')) : inner.query(text, values)
            },
          })
        }
      }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
