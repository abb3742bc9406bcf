/** Recipients of alert emails, and the rows that they become, on real engines. */
import { v7 as uuidv7 } from 'uuid'
import { beforeEach, describe, expect, test } from 'vitest'
import { type ClickHouseClient, createClickHouse } from '#platform/clickhouse.ts'
import { createLogger } from '#platform/logger.ts'
import type { Pool } from '#platform/postgres.ts'
import { SecretBox } from '#platform/secret-box.ts'
import type { ProjectId } from '#schemas/ids.ts'
import {
  type AddedTarget,
  addDelivery,
  addTarget,
} from '../../../test/fixtures/notifications/add-target.ts'
import {
  sampleIssue,
  samplePayloads,
} from '../../../test/fixtures/notifications/sample-payloads.ts'
import { startMail } from '../../../test/fixtures/notifications/start-mail.ts'
import { usePostgres } from '../../../test/fixtures/processes/use-postgres.ts'
import { waitUntil } from '../../../test/fixtures/processes/wait-until.ts'
import { readEventPayload } from './event-payload-store.ts'
import { type AlertEmailContext, createSendAlertEmail } from './send-alert-email.ts'

let pg: Pool
let project: ProjectId
let clickhouseUrl: string
let postgresUrl: string
usePostgres((fixture) => {
  ;({ pg, project } = fixture)
  clickhouseUrl = fixture.stores.clickhouseUrl
  postgresUrl = fixture.stores.postgresUrl
})

const box = new SecretBox('a secret of the tests, of enough characters')
let ctx: AlertEmailContext
let organizationId: string
let issueId: string
let eventsRead: { dsnId: number; eventId: string }[]

beforeEach(async () => {
  eventsRead = []
  ctx = {
    pg,
    box,
    apiUrl: 'https://sluice.example',
    from: { name: 'Sluice', email: 'sluice@mail.example' },
    readEventPayload: async (event) => {
      eventsRead.push(event)
      return JSON.stringify({ stacktrace: { frames: [{ filename: 'cart.ts', lineno: 42 }] } })
    },
    log: createLogger('test', 'silent'),
  }
  const { rows } = await pg.query('select organization_id from projects where dsn_id = $1', [
    project,
  ])
  organizationId = rows[0].organization_id
  issueId = await addIssue(null)
})

async function addIssue(assignee: string | null, team: string | null = null): Promise<string> {
  const id = uuidv7()
  await pg.query(
    `insert into issues (id, project_id, short_no, title, culprit, level, platform, count, first_seen, last_seen, assignee, assignee_team)
     select $1, $2, coalesce(max(short_no), 0) + 1, 't', 'c', 'error', 'node', 1, now(), now(), $3, $4 from issues where project_id = $2`,
    [id, project, assignee, team],
  )
  return id
}

async function addPerson(name: string, role: string | null = 'member'): Promise<string> {
  const id = uuidv7()
  await pg.query('insert into people (id, email) values ($1, $2)', [
    id,
    `${name}-${id}@people.test`,
  ])
  if (role !== null) {
    await pg.query(
      'insert into memberships (organization_id, person_id, role) values ($1, $2, $3)',
      [organizationId, id, role],
    )
  }
  return id
}

async function addTeam(slug: string, ...members: string[]): Promise<string> {
  const id = uuidv7()
  await pg.query(`insert into teams (id, organization_id, slug, name) values ($1, $2, $3, 'T')`, [
    id,
    organizationId,
    slug,
  ])
  for (const person of members) {
    await pg.query('insert into team_members (team_id, person_id) values ($1, $2)', [id, person])
  }
  return id
}

const payloadOf = (id: string) => ({
  ...samplePayloads['a new issue'],
  data: {
    ...(samplePayloads['a new issue'] as unknown as { data: object }).data,
    issue: { ...sampleIssue, id },
  },
})

let delivery: { id: string; target: AddedTarget; payload: unknown }

async function send(to: string[], payload: unknown = payloadOf(issueId), ruleId = uuidv7()) {
  const target = await addTarget(pg, { project, box, target: { type: 'email', to }, ruleId })
  const id = await addDelivery(pg, target, { payload, at: new Date() })
  delivery = { id, target, payload }
  return again(to)
}

function again(to: string[]) {
  const { id, target, payload } = delivery
  const { ruleId } = target
  return createSendAlertEmail(ctx)(
    { id, organizationId, ruleId, payload, isTest: false },
    { type: 'email', to },
  )
}

async function queued() {
  const { rows } = await pg.query(
    `select s.kind, s.priority, s.state, s.from_address, s.to_address, s.subject, s.text, s.html, s.headers,
       a.email = s.to_address as "hasAddress"
       from sends s join addresses a on a.id = s.address_id and a.organization_id = s.organization_id
      where s.organization_id = $1 order by s.to_address`,
    [organizationId],
  )
  return rows
}

/** The names of the people who got an email. */
const names = async () => (await queued()).map((row) => row.to_address.replace(/[-@].*/, ''))

describe('recipients', () => {
  test('owners are the owners of the organization', async () => {
    await addPerson('owner', 'owner')
    await addPerson('other')
    await addPerson('stranger', null)
    expect(await send(['owners'])).toEqual({ kind: 'queued', emails: 1 })
    expect(await names()).toEqual(['owner'])
  })

  test('the assignee is the person or the members of the team that the issue has', async () => {
    await addPerson('owner', 'owner')
    const ada = await addPerson('ada')
    const bob = await addPerson('bob')
    await send(['assignee'], payloadOf(await addIssue(ada)))
    expect(await names()).toEqual(['ada'])
    await send(['assignee'], payloadOf(await addIssue(null, await addTeam('web', ada, bob))))
    expect(await names()).toEqual(['ada', 'ada', 'bob'])
  })

  test.each(['nobody', 'somebody who left', 'an empty team'])(
    'owners take the place of the assignee, if it is %s',
    async (which) => {
      await addPerson('owner', 'owner')
      const left = which === 'somebody who left' ? await addPerson('left', null) : null
      const team = which === 'an empty team' ? await addTeam('empty') : null
      await send(['assignee'], payloadOf(await addIssue(left, team)))
      expect(await names()).toEqual(['owner'])
    },
  )

  test('a notification about no issue goes to owners instead of an assignee', async () => {
    await addPerson('owner', 'owner')
    await send(['assignee'], samplePayloads['a failed monitor'])
    expect(await names()).toEqual(['owner'])
  })

  test('teams and people are those of the organization who belong to it now', async () => {
    const ada = await addPerson('ada')
    const left = await addPerson('left', null)
    await addTeam('web', ada, left)
    const bob = await addPerson('bob', 'viewer')
    await send(['team:web', 'team:unknown', bob, left, uuidv7()])
    expect(await names()).toEqual(['ada', 'bob'])
  })

  test('an address gets an email at a verified domain only', async () => {
    for (const [domain, state] of [
      ['list.test', 'verified'],
      ['later.test', 'pending'],
    ]) {
      await pg.query(
        `insert into sending_domains (id, organization_id, domain, state, selector, public_key, sealed_key)
         values ($1, $2, $3, $4, 's', 'k', '')`,
        [uuidv7(), organizationId, domain, state],
      )
    }
    await send(['ops@list.test', 'ops@later.test', 'ops@elsewhere.test'])
    const rows = await queued()
    expect(rows.map((row) => row.to_address)).toEqual(['ops@list.test'])
    expect(rows[0].kind).toBe('notice')
    expect(rows[0].text).not.toContain('alert-stop')
  })

  test('a person who is named in several ways gets one email', async () => {
    const ada = await addPerson('ada', 'owner')
    await addTeam('web', ada)
    const { rows } = await pg.query('select email from people where id = $1', [ada])
    await send(['owners', 'assignee', 'team:web', ada, rows[0].email.toUpperCase()])
    expect(await names()).toEqual(['ada'])
  })

  test('nobody is a failure that is not retried', async () => {
    expect(await send(['team:unknown'])).toEqual({
      kind: 'failed',
      reason: expect.stringMatching(/^Nobody can get the email/),
    })
  })
})

describe('stops', () => {
  const stop = (person: string, column: 'rule_id' | 'issue_id', id: string) =>
    pg.query(`insert into alert_stops (person_id, ${column}) values ($1, $2)`, [person, id])

  test('of a rule leave out the person for this rule', async () => {
    await addPerson('owner', 'owner')
    const ada = await addPerson('ada', 'owner')
    await send(['owners'])
    await stop(ada, 'rule_id', delivery.target.ruleId)
    await send(['owners'], payloadOf(issueId), delivery.target.ruleId)
    await send(['owners'])
    expect(await names()).toEqual(['ada', 'ada', 'owner', 'owner', 'owner'])
  })

  test('of an issue leave out the person for this issue, also within digests', async () => {
    const ada = await addPerson('ada', 'owner')
    await stop(ada, 'issue_id', issueId)
    expect(await send(['owners'])).toEqual({ kind: 'queued', emails: 0 })
    const firing = (id: string, title: string) => ({
      type: 'issue.new',
      reason: 'New.',
      issue: { ...sampleIssue, id, title },
    })
    const firings = [firing(issueId, 'Stopped'), firing(await addIssue(null), 'Other')]
    const digest = { type: 'alert.digest', data: { digest: { count: 2, more: 0, firings } } }
    await send(['owners'], digest)
    const [{ text, subject }] = await queued()
    expect(text).toContain('- Other')
    expect(text).not.toContain('Stopped')
    expect(subject).toMatch(/ 1 alert:/)
  })
})

describe('the email', () => {
  test('is queued for the mail process, complete', async () => {
    const ada = await addPerson('ada', 'owner')
    await send(['owners'])
    expect(await queued()).toEqual([
      {
        kind: 'system',
        priority: 2,
        state: 'queued',
        from_address: 'sluice@mail.example',
        to_address: `ada-${ada}@people.test`,
        subject: "[P] TypeError: Cannot read properties of undefined (reading 'total')",
        text: expect.stringContaining('\ncart.ts:42\n'),
        html: expect.stringContaining('<strong>cart.ts:42</strong>'),
        headers: expect.objectContaining({ 'Auto-Submitted': 'auto-generated' }),
        hasAddress: true,
      },
    ])
    expect(eventsRead).toEqual([{ dsnId: project, eventId: 'e'.repeat(32) }])
  })

  test('is one row, however often the delivery is attempted, also at the same time', async () => {
    await addPerson('ada', 'owner')
    await addPerson('bob', 'owner')
    await send(['owners'])
    await Promise.all(Array.from({ length: 8 }, () => again(['owners'])))
    expect(await names()).toEqual(['ada', 'bob'])
  })

  test('is sent once more when the delivery is replayed', async () => {
    await addPerson('ada', 'owner')
    await send(['owners'])
    await pg.query('update notification_deliveries set replayed_at = now() where id = $1', [
      delivery.id,
    ])
    await again(['owners'])
    await again(['owners'])
    expect(await names()).toEqual(['ada', 'ada'])
  })

  test('is sent without a frame, if the event cannot be read', async () => {
    await addPerson('ada', 'owner')
    ctx = { ...ctx, readEventPayload: () => Promise.reject(new Error('away')) }
    expect(await send(['owners'])).toEqual({ kind: 'queued', emails: 1 })
    expect((await queued())[0].text).toContain('checkout/cart.ts in total')
  })

  test('a rule that was deleted sends nothing', async () => {
    await addPerson('ada', 'owner')
    await send(['owners'])
    await pg.query('delete from alert_rules where id = $1', [delivery.target.ruleId])
    expect(await again(['owners'])).toMatchObject({ kind: 'failed' })
  })

  test('Postgres going away is retried', async () => {
    await addPerson('ada', 'owner')
    await send(['owners'])
    ctx = { ...ctx, pg: { query: () => Promise.reject(new Error('away')) } as never }
    await expect(again(['owners'])).rejects.toThrow('away')
  })
})

test('the mail server gets a message with its thread, its list and two parts', async () => {
  await addPerson('ada', 'owner')
  const title = 'Zażółć: \u202e=?UTF-8?Q?x?=\r\nBcc: eve@example.com'
  const payload = payloadOf(issueId)
  await send(['owners'], {
    ...payload,
    data: { ...payload.data, issue: { ...sampleIssue, id: issueId, title } },
  })
  const { ruleId } = delivery.target
  // Emails of the tests before are sent, too.
  const isOurs = ({ raw }: { raw: string }) => raw.includes(`<${ruleId}.alerts.`)
  const mail = await startMail(pg, postgresUrl)
  try {
    await waitUntil('the email', async () => mail.emails.some(isOurs))
  } finally {
    await mail.stop()
  }
  const { raw } = mail.emails.find(isOurs)!
  const headEnd = raw.indexOf('\r\n\r\n')
  const [head, body] = [raw.slice(0, headEnd), raw.slice(headEnd)]
  const fields = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const field = (name: string) => fields.filter((line) => line.startsWith(`${name}: `))
  expect(field('References')).toEqual([
    field('In-Reply-To')[0]!.replace('In-Reply-To', 'References'),
  ])
  expect(field('List-Id')).toEqual([`List-Id: <${ruleId}.alerts.mail.example>`])
  expect(field('List-Unsubscribe')[0]).toMatch(
    /^List-Unsubscribe: <https:\/\/sluice\.example\/alert-stop\/[\w-]{66,}>$/,
  )
  expect(field('List-Unsubscribe-Post')).toEqual([
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  ])
  expect(field('Bcc')).toEqual([])
  expect(field('Subject')).toHaveLength(1)
  expect(field('Subject')[0]).toMatch(/^Subject: =\?UTF-8\?B\?/)
  expect(body).toContain('Content-Type: text/plain; charset=utf-8')
  expect(body).toContain('Content-Type: text/html; charset=utf-8')
})

describe('the stored event', () => {
  let clickhouse: ClickHouseClient
  beforeEach(() => {
    clickhouse = createClickHouse(clickhouseUrl, 'test')
    return () => clickhouse.close()
  })

  test('is read by project and id', async () => {
    const event_id = '0191e8a0-0000-7000-8000-000000000001'
    await clickhouse.insert({
      table: 'events',
      values: [
        {
          project_id: project,
          event_id,
          received_at: '2026-11-23 08:00:00.000',
          retention_days: 18_000,
          payload: '{"a":1}',
        },
      ],
      format: 'JSONEachRow',
    })
    const eventId = event_id.replaceAll('-', '')
    expect(await readEventPayload(clickhouse, { dsnId: project, eventId })).toBe('{"a":1}')
    expect(await readEventPayload(clickhouse, { dsnId: project + 1, eventId })).toBeUndefined()
  })
})
