/**
 * Every condition through its real cause, to a record of the delivery in every channel: what comes
 * close to it does not fire, and what it is about arrives once, as each service documents it.
 */
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { AlertCondition, issueConditionTypes } from '#schemas/rest/alerts/condition.ts'
import { Notification, notificationTypeOf } from '#schemas/rest/alerts/notification.ts'
import { AlertTarget } from '#schemas/rest/alerts/target.ts'
import { alertDeskOfThisFile, hourMs, minuteMs } from '../fixtures/alerts/alert-desk.ts'
import { Causes } from '../fixtures/alerts/causes.ts'
import { choicesOf } from '../fixtures/alerts/choices-of.ts'
import { conditionRows } from '../fixtures/alerts/condition-rows.ts'
import { documentedFormats } from '../fixtures/notifications/documented-formats.ts'

const desk = alertDeskOfThisFile()
const causes = async () => new Causes(desk(), await desk().tenant())

const types = AlertCondition.options.map(({ shape }) => shape.type.value)
const channels = AlertTarget.options.map(({ shape }) => shape.type.value)
const rows = types.flatMap((type) => conditionRows[type].map((row) => ({ type, ...row })))
const firsts = types.map((type) => ({ type, ...conditionRows[type][0]! }))

test('every condition has a row, and every value that it may choose', () => {
  expect(Object.keys(conditionRows).sort()).toEqual([...types].sort())
  const used = rows.flatMap(({ when }) =>
    Object.entries(when).flatMap(([field, value]) =>
      [value].flat().map((one) => `${when.type}.${field}: ${one}`),
    ),
  )
  const missing = AlertCondition.options
    .flatMap(({ shape }) =>
      Object.entries(shape).flatMap(([field, schema]) =>
        choicesOf(schema).map((choice) => `${shape.type.value}.${field}: ${choice}`),
      ),
    )
    .filter((choice) => !used.includes(choice))
  // Statuses of ideas are texts that are compared: the transitions are what differs.
  expect(missing.filter((choice) => !choice.startsWith('idea_status.to'))).toEqual([])
})

test('every channel has a documented format', () => {
  const described = ['email', ...Object.keys(documentedFormats)]
  expect(described.sort()).toEqual([...channels].sort())
})

describe('a condition', () => {
  test.each(rows)(
    '$type: $name',
    async ({ type, when, prepare, neighbour, cause, says, about }) => {
      const scene = await causes()
      const { tenant } = scene
      await prepare?.(scene)
      const rule = await desk().addRule(tenant, { when: [when] })
      await desk().addAllTargets(tenant, rule)
      await neighbour(scene)
      await desk().runJobs()
      expect(await desk().fired(rule)).toEqual([])

      await cause(scene)
      await desk().runJobs()
      expect(await desk().fired(rule)).toMatchObject([
        { type, reason: expect.stringMatching(says), at: new Date(desk().nowMs) },
      ])
      const delivered = await desk().delivered(rule)
      expect(delivered.map((each) => each.type).sort()).toEqual([...channels].sort())
      for (const { type: channel, state, attempts, payload } of delivered) {
        expect([channel, state, attempts.map(({ error }) => error)]).toEqual([
          channel,
          'delivered',
          [null],
        ])
        expect(Notification.parse(payload)).toEqual(payload)
        expect(payload.type).toBe(notificationTypeOf[type])
        expect(payload.data.reason).toMatch(says)
        const { project: _p, rule: _r, reason: _s, ...subjects } = payload.data
        expect(Object.keys(subjects).sort()).toEqual([...about].sort())
      }
      await expectDocumentedRequests(delivered[0]!.payload)
      const emails = await desk().emails(tenant)
      // Owners are told of the percentages of a quota that no rule is about.
      expect(emails.filter((subject) => !subject.includes('% of its events'))).toHaveLength(1)

      // The same jobs again, and a job that was lost and enqueued again, tell nothing more.
      await desk().runJobs()
      desk().pass(hourMs)
      await desk().runJobs()
      expect(await desk().delivered(rule)).toHaveLength(channels.length)
      expect(desk().receiver.requests).toHaveLength(channels.length - 1)
    },
  )
})

/** One request of each channel but email, as its service documents it. */
async function expectDocumentedRequests(payload: Notification): Promise<void> {
  const { requests } = desk().receiver
  expect(requests).toHaveLength(channels.length - 1)
  for (const [channel, format] of Object.entries(documentedFormats)) {
    const own = requests.filter(({ path, headers, body }) => {
      const isOther = channel === 'ntfy' && headers['authorization'] !== 'Bearer tk_1'
      return format.path.test(path) && !isOther && body !== ''
    })
    expect([channel, own.length]).toEqual([channel, 1])
    const [{ headers, body }] = own as [(typeof own)[0]]
    format.headers.parse(headers)
    format.body.parse(JSON.parse(body))
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(format.bodyBytesMax)
    if (channel === 'webhook') {
      expect(JSON.parse(body)).toEqual(payload)
      // The library compares with the clock of the machine: the age is checked by its own tests.
      const signed = new Webhook(desk().webhookSecret).sign(
        String(headers['webhook-id']),
        new Date(Number(headers['webhook-timestamp']) * 1_000),
        body,
      )
      expect(headers['webhook-signature']).toBe(signed)
      expect(Number(headers['webhook-timestamp'])).toBe(Math.floor(desk().nowMs / 1_000))
    }
  }
}

const isAboutIssues = ({ type }: { readonly type: string }) =>
  (issueConditionTypes as readonly string[]).includes(type)

describe('rules about one cause', () => {
  test.each(firsts)('$type: only those that it concerns fire', async (row) => {
    const { when, prepare, neighbour, cause } = row
    const other = await desk().tenant('Other')
    const scene = await causes()
    await prepare?.(scene)
    const add = (fields: object, tenant = scene.tenant) =>
      desk().addRule(tenant, { when: [when], ...fields })
    const rules = {
      disabled: await add({ enabled: false }),
      elsewhere: await add({}, other),
      // Every event of these rows is an error.
      matching: await add({ if: { level: ['error'] } }),
      unmatched: await add({ if: { level: ['fatal'] } }),
    }
    await neighbour(scene)
    await cause(scene)
    await desk().runJobs()
    const count = async (rule: string) => (await desk().fired(rule)).length
    expect({
      disabled: await count(rules.disabled),
      elsewhere: await count(rules.elsewhere),
      matching: await count(rules.matching),
      unmatched: await count(rules.unmatched),
    }).toEqual({
      disabled: 0,
      elsewhere: 0,
      matching: 1,
      // Conditions that are not about issues have no filter.
      unmatched: isAboutIssues(row) ? 0 : 1,
    })
  })

  const at = (ms: number) => new Date(ms).toISOString()
  const clockTime = (ms: number) => at(ms).slice(11, 16)
  test.each(firsts)('$type: muted and quiet rules tell it afterwards', async (row) => {
    const { when, prepare, neighbour, cause } = row
    const scene = await causes()
    const { tenant } = scene
    await prepare?.(scene)
    const fromMs = desk().nowMs
    const endMs = Math.floor(fromMs / minuteMs) * minuteMs + 3 * hourMs
    const quiet_hours = { from: clockTime(fromMs), to: clockTime(endMs), timezone: 'UTC' }
    const rules = [
      await desk().addRule(tenant, { when: [when], muted_until: at(endMs) }),
      await desk().addRule(tenant, { when: [when], quiet_hours }),
    ]
    const counts = async (read: (rule: string) => Promise<readonly unknown[]>) =>
      Promise.all(rules.map(async (rule) => (await read(rule)).length))
    const told = () => counts((rule) => desk().delivered(rule))
    await neighbour(scene)
    await cause(scene)
    await desk().runJobs()
    expect([await counts((rule) => desk().fired(rule)), await told()]).toEqual([
      [1, 1],
      [0, 0],
    ])
    desk().api.time.nowMs = endMs - 1
    await desk().runJobs()
    expect(await told()).toEqual([0, 0])
    desk().api.time.nowMs = endMs
    await desk().runJobs()
    expect(await told()).toEqual([1, 1])
  })
})

describe('a cooldown', () => {
  const others = firsts.filter((row) => row.type !== 'new_issue' && isAboutIssues(row))
  test.each(
    others.flatMap((row) => [
      { seconds: 30 * 86_400, wanted: [], ...row },
      { seconds: 60, wanted: [row.type], ...row },
    ]),
  )('$type: $seconds seconds after a new issue', async (row) => {
    const { seconds, wanted, when, prepare, neighbour, cause } = row
    const scene = await causes()
    const fields = { when: [{ type: 'new_issue' }, when], cooldown_seconds: seconds }
    const rule = await desk().addRule(scene.tenant, fields)
    await (prepare ?? (() => scene.events('sentry-node-11-error')))(scene)
    desk().pass(2 * minuteMs)
    await neighbour(scene)
    await cause(scene)
    expect((await desk().fired(rule)).map(({ type }) => type)).toEqual(['new_issue', ...wanted])
  })
})
