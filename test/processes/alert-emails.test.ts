/** An event of an SDK becomes an alert email with its frame, through ingest and workers. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { organizationOfThisFile } from '../fixtures/processes/running-product.ts'

const product = organizationOfThisFile()

test('a new issue is one email to each owner, with the frame of the event', async () => {
  const project = await product().projectAtOnce('alert-emails')
  const { postgres } = product()
  const values = [Number(project.dsnId), randomUUID(), `ada-${randomUUID()}@people.test`]
  await postgres.query(
    `with person as (insert into people (id, email) values ($2, $3) returning id)
     insert into memberships (organization_id, person_id, role)
     select organization_id, person.id, 'owner' from projects, person where dsn_id = $1`,
    values,
  )
  await postgres.query('delete from alert_rules where project_id = $1', [values[0]])
  await postgres.query(
    `with rule as (
       insert into alert_rules (id, project_id, name, conditions, cooldown_seconds, digest_seconds)
       values ($2, $1, 'New', '{"when": [{"type": "new_issue"}], "if": {}, "quiet_hours": null}', 0, 60)
       returning id
     )
     insert into notification_targets (id, organization_id, rule_id, type, shown)
     select gen_random_uuid(), organization_id, rule.id, 'email', '{"type": "email", "to": ["owners"]}'
       from projects, rule where dsn_id = $1`,
    [values[0], randomUUID()],
  )
  const id = randomUUID().replaceAll('-', '')
  const frames = [{ filename: 'src/cart/pay.ts', lineno: 42, function: 'total', in_app: true }]
  const event = {
    event_id: id,
    platform: 'node',
    release: 'shop@1.2.3',
    environment: 'production',
    exception: { values: [{ type: 'TypeError', value: 'no total', stacktrace: { frames } }] },
  }
  const body = `{"event_id":"${id}"}\n{"type":"event"}\n${JSON.stringify(event)}\n`
  expect((await project.send({ method: 'POST', body })).status).toBe(200)

  const emails = async () => {
    const sql = 'select subject, text, headers from sends where to_address = $1'
    return (await postgres.query(sql, [values[2]])).rows
  }
  await expect.poll(emails).toHaveLength(1)
  const [{ subject, text, headers }] = await emails()
  expect(subject).toMatch(/^\[[^\]]+\] TypeError: no total$/)
  expect(text).toContain('\nsrc/cart/pay.ts:42 in total\n')
  expect(text).toContain('\nRelease: shop@1.2.3\nEnvironment: production\n')
  expect(text).toMatch(/^https?:\/\/\S+\/issues\/[0-9a-f-]{36}$/m)
  expect(headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
})
