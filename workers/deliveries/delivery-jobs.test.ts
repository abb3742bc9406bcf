/** Jobs that deliver: of several workers, lost, long and slow ones, and their counts. */
import { describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock.ts'
import { createLogger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import type { AddedTarget } from '../../test/fixtures/notifications/add-target.ts'
import { deliveryDeskOfThisFile, hourMs } from '../../test/fixtures/notifications/delivery-desk.ts'
import { startJobs } from '../jobs/job-runner.ts'
import { deliverToTarget } from './deliver-to-target.ts'
import { countDeliveries } from './delivery-count-store.ts'
import { deliveryTasks } from './delivery-jobs.ts'
import { resumeDeliveries } from './delivery-store.ts'

const desk = deliveryDeskOfThisFile()
const { webhook, add, deliveries, states, waitingJobs, idsReceived } = desk

describe('two workers', () => {
  test('never send to one target at the same time', async () => {
    let open = 0
    let most = 0
    desk.receiver.answer = () => {
      open += 1
      most = Math.max(most, open)
      const after = new Promise((resolve) => setTimeout(resolve, 30)).then(() => {
        open -= 1
      })
      return { status: 204, after }
    }
    const target = await webhook()
    for (let index = 0; index < 6; index += 1) await add(target)
    await Promise.all(Array.from({ length: 4 }, () => deliverToTarget(desk.ctx, target.id)))
    expect(most).toBe(1)
    expect(desk.receiver.requests).toHaveLength(6)
    expect(new Set(idsReceived()).size).toBe(6)
    // Those that found the lease taken look again, for deliveries that were added meanwhile.
    expect(await waitingJobs()).toHaveLength(1)
  })

  test('the lease of one that was killed ends, and the delivery is sent again with its id', async () => {
    const target = await webhook()
    const id = await add(target)
    // Sent, but killed before the record.
    const killed = { ...desk.ctx, pg: failingAt(desk.pg, /update notification_deliveries/) }
    await expect(deliverToTarget(killed, target.id)).rejects.toThrow('killed')
    expect(await states(target)).toEqual(['pending'])
    await deliverToTarget(desk.ctx, target.id)
    expect(desk.receiver.requests).toHaveLength(1)
    await desk.pg.query(`update notification_targets set leased_until = now() where id = $1`, [
      target.id,
    ])
    await deliverToTarget(desk.ctx, target.id)
    expect(idsReceived()).toEqual([id, id])
    const rows = await deliveries(target)
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ state: 'delivered', attempt_count: 1 })
  })

  test('one that lost its lease stops after its delivery', async () => {
    const target = await webhook()
    await add(target)
    await add(target)
    desk.receiver.answer = () => ({
      status: 204,
      after: desk.pg.query(
        `update notification_targets set lease_id = gen_random_uuid() where id = $1`,
        [target.id],
      ),
    })
    await deliverToTarget(desk.ctx, target.id)
    expect(await states(target)).toEqual(['delivered', 'pending'])
  })
})

describe('a lost job', () => {
  test('is enqueued again, unless the breaker is open', async () => {
    const [due, later, open] = await Promise.all([webhook(), webhook(), webhook()])
    await add(due)
    await add(later, desk.nowMs + hourMs)
    await add(open)
    await desk.pg.query('update notification_targets set open_until = $2 where id = $1', [
      open.id,
      new Date(desk.nowMs + 1_000),
    ])
    expect(await resumeDeliveries(desk.pg, new Date(desk.nowMs))).toBe(1)
    expect((await waitingJobs()).map(({ key }) => key)).toEqual([`deliver:${due.id}`])
    desk.nowMs += 1_000
    expect(await resumeDeliveries(desk.pg, new Date(desk.nowMs))).toBe(2)
  })

  test('of a worker that was killed runs when its lease ends', async () => {
    const target = await webhook()
    await add(target)
    await desk.pg.query(
      `update notification_targets set lease_id = id, leased_until = now() + interval '20 seconds' where id = $1`,
      [target.id],
    )
    await resumeDeliveries(desk.pg, new Date(desk.nowMs))
    const [job] = await waitingJobs()
    expect(job!.inSeconds).toBeGreaterThan(10)
    expect(job!.inSeconds).toBeLessThanOrEqual(20)
  })
})

test('after twenty deliveries to a target, others come first, and it goes on at once', async () => {
  desk.nowMs = systemClock.nowMs()
  const target = await webhook()
  for (let index = 0; index < 21; index += 1) await add(target)
  await deliverToTarget(desk.ctx, target.id)
  expect((await states(target)).filter((state) => state === 'pending')).toHaveLength(1)
  expect((await waitingJobs()).map(({ inSeconds }) => inSeconds <= 0)).toEqual([true])
  await desk.pg.query('delete from graphile_worker._private_jobs')
  desk.receiver.answer = () => ({ status: 500 })
  await deliverToTarget(desk.ctx, target.id)
  expect((await waitingJobs()).map(({ inSeconds }) => inSeconds > 0)).toEqual([true])
})

test('a slow target delays no other one, and a delivery that comes meanwhile is sent', async () => {
  desk.nowMs = systemClock.nowMs()
  const clock = systemClock
  const jobs = await startJobs({
    pg: desk.pg,
    tasks: deliveryTasks({ ...desk.ctx, clock }),
    jobsAtOnce: 4,
    log: createLogger('test', 'silent'),
  })
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  desk.receiver.answer = ({ path }) =>
    path === '/hook' ? { status: 204, after: held } : { status: 204 }
  const enqueue = ({ id }: AddedTarget) =>
    jobs.addJob('deliver', { target_id: id }, { jobKey: `deliver:${id}` })
  const slow = await webhook()
  const quick = await webhook({ target: { type: 'webhook', url: `${desk.receiver.url}/quick` } })
  await add(slow)
  await enqueue(slow)
  await expect.poll(() => desk.receiver.requests.length).toBe(1)
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
  await add(late, desk.nowMs - 90_000)
  await add(late, desk.nowMs + hourMs)
  await add(open, desk.nowMs - hourMs)
  const soon = new Date(desk.nowMs + 1_000)
  await desk.pg.query('update notification_targets set open_until = $2 where id = $1', [
    open.id,
    soon,
  ])
  await desk.pg.query('update notification_targets set disabled_at = $2 where id = $1', [
    disabled.id,
    soon,
  ])
  expect(await countDeliveries(desk.pg, new Date(desk.nowMs))).toEqual({
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
