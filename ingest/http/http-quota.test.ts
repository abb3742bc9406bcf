/** Limits over real sockets, with the quota store in memory. */
import { describe, expect, test } from 'vitest'
import type { ProjectId } from '#schemas/ids.ts'
import { message, serveTests, storedAnswer } from '../../test/fixtures/ingest/http-fixture.ts'

const server = serveTests()
const november = '2026-11-01'
const noon = Date.UTC(2026, 10, 21, 12, 0, 10)

let lastEventNo = 0

/** Returns an envelope with new events and the given other items. */
function envelope(eventCount: number, ...others: string[]): string {
  const items = Array.from({ length: eventCount }, () => {
    lastEventNo += 1
    return `{"type":"event"}\n{"event_id":"${lastEventNo.toString(16).padStart(32, '0')}"}`
  })
  return ['{}', ...items, ...others].join('\n')
}

const session = '{"type":"session"}\n{}'

function accepted(): number {
  return server.records().filter((record) => record.kind === 'event').length
}

async function usedOf(projectId: ProjectId): Promise<number> {
  await expect
    .poll(() => server.quotaStore.leases.some((lease) => lease.state === 'open'))
    .toBe(false)
  return server.quotaStore.used(projectId, november)
}

describe('a project over its quota', () => {
  test('is answered 429 with Retry-After and the rate-limit header', async () => {
    server.nowMs = noon
    const { path } = server.project({ monthlyEvents: 0 })
    const reply = await server.post(path, envelope(1))
    expect(reply).toMatchObject({
      status: 429,
      text: '{"detail":"project is over its event quota","causes":["quota_exceeded"]}',
    })
    const { headers } = reply
    expect(headers.get('retry-after')).toBe('60')
    expect(headers.get('x-sentry-rate-limits')).toBe('60:error:project:quota_exceeded')
    expect(headers.get('access-control-expose-headers')).toContain('x-sentry-rate-limits')
    expect(headers.get('x-sentry-error')).toBe('project is over its event quota')
    expect(server.outcomes()).toEqual(['over_quota  1'])
  })

  test('is asked to wait at most until the month ends', async () => {
    server.nowMs = Date.UTC(2026, 11, 1) - 2_500
    const { path } = server.project({ monthlyEvents: 0 })
    const { headers } = await server.post(path, envelope(1))
    expect(headers.get('retry-after')).toBe('3')
    expect(headers.get('x-sentry-rate-limits')).toBe('3:error:project:quota_exceeded')
  })

  test('keeps the events of an envelope that fit, and the items that cost no quota', async () => {
    server.nowMs = noon
    const { path, projectId } = server.project({ monthlyEvents: 5 })
    expect(await server.post(path, envelope(3))).toMatchObject({ status: 200 })
    const reply = await server.post(path, envelope(4, session, '{"type":"transaction"}\n{}'))
    expect(reply.status).toBe(429)
    expect(accepted()).toBe(5)
    expect(server.outcomes().sort()).toEqual([
      'over_quota  2',
      'unsupported unsupported:transaction 1',
    ])
    expect(await usedOf(projectId)).toBe(5)
  })

  test('keeps sending sessions, which cost no quota', async () => {
    server.nowMs = noon
    const { path } = server.project({ monthlyEvents: 0 })
    const { grantCalls } = server.quotaStore
    expect(await server.post(path, `{}\n${session}`)).toMatchObject({ status: 200 })
    expect(server.quotaStore.grantCalls).toBe(grantCalls)
  })

  describe('gets the rate-limit header with a 200', () => {
    const limits = (reply: { headers: Headers }) => reply.headers.get('x-sentry-rate-limits')

    test('to sessions, without a Retry-After for all items', async () => {
      server.nowMs = noon
      const { path } = server.project({ monthlyEvents: 1 })
      expect(limits(await server.post(path, `{}\n${session}`))).toBeNull()
      expect(await server.post(path, envelope(2))).toMatchObject({ status: 429 })
      const reply = await server.post(path, `{}\n${session}`)
      expect(reply).toMatchObject({ status: 200, text: '{}' })
      expect(limits(reply)).toBe('60:error:project:quota_exceeded')
      expect(reply.headers.get('retry-after')).toBeNull()
      expect(reply.headers.get('access-control-expose-headers')).toContain('x-sentry-rate-limits')
    })

    test('until the limit is raised, even without further events', async () => {
      server.nowMs = noon
      const { path, projectId } = server.project({ monthlyEvents: 0 })
      expect(await server.post(path, envelope(1))).toMatchObject({ status: 429 })
      server.quotaStore.projects.set(projectId, { monthlyEvents: 2 })
      const told = async () => limits(await server.post(path, `{}\n${session}`))
      await expect.poll(told, { interval: 200 }).toBeNull()
    })

    test('with the scope of the exceeded limit, until its minute ends', async () => {
      server.nowMs = noon
      const { path } = server.project({ eventsPerMinute: 3 })
      expect(await server.post(path, envelope(5))).toMatchObject({ status: 429 })
      const told = async () => limits(await server.post(path, `{}\n${session}`))
      expect(await told()).toBe('50:error:project:spike_limit')
      server.nowMs = noon + 50_000
      expect(await told()).toBeNull()
    })

    test('never while events fit', async () => {
      server.nowMs = noon
      const { path } = server.project({ monthlyEvents: 1 })
      expect(limits(await server.post(path, envelope(1)))).toBeNull()
    })
  })

  test('is refused on /store/ in the same way', async () => {
    server.nowMs = noon
    const { path } = server.project({ monthlyEvents: 1 })
    const storePath = path.replace('/envelope/', '/store/')
    expect(await server.post(storePath, message)).toMatchObject({ status: 200 })
    const reply = await server.post(storePath, message)
    expect(reply.status).toBe(429)
    expect(reply.headers.get('x-sentry-rate-limits')).toBe('60:error:project:quota_exceeded')
  })

  test('is not charged for items that are refused anyway', async () => {
    server.nowMs = noon
    const { path, projectId } = server.project({ monthlyEvents: 2 })
    const tooLarge = `{"type":"event"}\n{"a":"${'x'.repeat(1024 * 1024)}"}`
    expect(await server.post(path, envelope(1, tooLarge))).toMatchObject({ status: 200 })
    expect(await server.post(path, 'not an envelope')).toMatchObject({ status: 400 })
    expect(await server.post(path, envelope(1))).toMatchObject({ status: 200 })
    expect(await server.post(path, envelope(1))).toMatchObject({ status: 429 })
    expect(await usedOf(projectId)).toBe(2)
  })

  test('uses a raised limit within about a second, and a new month at once', async () => {
    server.nowMs = noon
    const { path, projectId } = server.project({ monthlyEvents: 1 })
    const statuses = async () => (await server.post(path, envelope(1))).status
    expect(await statuses()).toBe(200)
    expect(await statuses()).toBe(429)
    server.quotaStore.projects.set(projectId, { monthlyEvents: 2 })
    await expect.poll(statuses, { interval: 200 }).toBe(200)
    expect(await statuses()).toBe(429)
    server.nowMs = Date.UTC(2026, 11, 1)
    expect(await statuses()).toBe(200)
  })
})

describe('a copy of an accepted event', () => {
  test('costs no quota and is answered like the first', async () => {
    server.nowMs = noon
    const { path, projectId } = server.project({ monthlyEvents: 2 })
    const both = envelope(2)
    expect(await server.post(path, both)).toMatchObject({ status: 200 })
    expect(await server.post(path, both)).toMatchObject({ status: 200 })
    expect(accepted()).toBe(2)
    expect(server.outcomes()).toEqual(['duplicate  2'])
    expect(await usedOf(projectId)).toBe(2)
  })

  test('is recognised when its envelope is resent after a partial refusal', async () => {
    server.nowMs = noon
    const { path, projectId } = server.project({ monthlyEvents: 3 })
    const five = envelope(5)
    expect(await server.post(path, five)).toMatchObject({ status: 429 })
    server.quotaStore.projects.set(projectId, { monthlyEvents: 100 })
    await expect
      .poll(async () => (await server.post(path, five)).status, { interval: 300 })
      .toBe(200)
    expect(accepted()).toBe(5)
    expect(await usedOf(projectId)).toBe(5)
  })

  test('counts as one only after the first is durable', async () => {
    server.nowMs = noon
    const { path } = server.project({})
    const one = envelope(1)
    server.acknowledges = false
    expect(await server.post(path, one)).toMatchObject({ status: 503 })
    const copy = server.post(path, one)
    await expect
      .poll(() => {
        server.ctx.batcher.flush()
        return accepted()
      })
      .toBe(2)
    for (const { token } of server.frames) {
      server.ctx.courier.receive(token, storedAnswer)
    }
    await copy
  })

  test('in another project is another event', async () => {
    server.nowMs = noon
    const [first, second] = [server.project({}), server.project({})]
    const one = envelope(1)
    for (const { path } of [first, second]) await server.post(path, one)
    expect(accepted()).toBe(2)
  })
})

describe('events a minute', () => {
  test('of a project are answered 429 with the spike limit until the minute ends', async () => {
    server.nowMs = noon
    const { path } = server.project({ eventsPerMinute: 3 })
    const reply = await server.post(path, envelope(5))
    expect(reply).toMatchObject({ status: 429 })
    expect(reply.headers.get('retry-after')).toBe('50')
    expect(reply.headers.get('x-sentry-rate-limits')).toBe('50:error:project:spike_limit')
    expect(server.outcomes()).toEqual(['over_quota spike_limit 2'])
    server.nowMs = noon + 50_000
    expect(await server.post(path, envelope(3))).toMatchObject({ status: 200 })
  })

  test('of a key do not affect the other keys', async () => {
    server.nowMs = noon
    const { path, keyNo, projectId } = server.project({})
    const limits = new Map([[keyNo, 2]])
    server.quotaStore.projects.set(projectId, { keyEventsPerMinute: limits })
    const reply = await server.post(path, envelope(3))
    expect(reply.headers.get('x-sentry-rate-limits')).toBe('50:error:key:key_limit')
    expect(reply.text).toContain('key_limit')
    expect(server.outcomes()).toEqual(['over_quota key_limit 1'])
    expect(accepted()).toBe(2)
  })
})

describe('while the quota store is unavailable', () => {
  test('events use the lease, then the allowance, and then are refused; the allowance is charged later', async () => {
    server.nowMs = noon
    const { path, projectId } = server.project({ monthlyEvents: 300 })
    expect(await server.post(path, envelope(1))).toMatchObject({ status: 200 })
    server.quotaStore.fails = 'before'
    expect(await server.post(path, envelope(15))).toMatchObject({ status: 200 })
    expect(await server.post(path, envelope(2))).toMatchObject({ status: 200 })
    const reply = await server.post(path, envelope(2))
    expect(reply).toMatchObject({ status: 429 })
    expect(reply.headers.get('x-sentry-rate-limits')).toBe('5:error:project:quota_unavailable')
    expect(server.outcomes()).toEqual(['over_quota quota_unavailable 1'])
    const leases = server.records().flatMap((record) => {
      return record.kind === 'event' ? [record.leaseNo] : []
    })
    expect(leases.filter((leaseNo) => leaseNo > 0)).toHaveLength(16)
    expect(leases.filter((leaseNo) => leaseNo === 0)).toHaveLength(3)
    server.quotaStore.fails = undefined
    server.quotaStore.commitUnleased(projectId, november, 3)
    await expect
      .poll(async () => (await server.post(path, envelope(1))).status, {
        interval: 300,
      })
      .toBe(200)
    expect(await usedOf(projectId)).toBe(accepted())
  })
})

test('a full courier refuses before anything is charged', async () => {
  server.nowMs = noon
  const { path, projectId } = server.project({ monthlyEvents: 100 })
  Object.defineProperty(server.ctx.courier, 'isFull', { value: true, configurable: true })
  expect(await server.post(path, envelope(1))).toMatchObject({ status: 503 })
  Reflect.deleteProperty(server.ctx.courier, 'isFull')
  expect(server.quotaStore.used(projectId, november)).toBe(0)
  expect(await server.post(path, envelope(1))).toMatchObject({ status: 200 })
})
