/**
 * Puts at least one row into every table that belongs to a project or an organization, on top of
 * what `fillTenant` creates through the API.
 */
import { randomUUID } from 'node:crypto'
import { type ApiFixture, hex } from '../fixtures/api-fixture.ts'
import { fillTenant, type Side } from '../fixtures/filled-tenant.ts'
import { fillClickHouse } from './fill-clickhouse.ts'
import { fillEmailTables } from './fill-email-tables.ts'

export interface FillOptions {
  /** Part of every name. */
  readonly mark: string
  /** The person whom texts name. */
  readonly email: string
  readonly userId: string
  readonly address: string
  /** Another person, whose address may contain that of the person. */
  readonly neighbour?: string
}

export async function fillTables(
  api: ApiFixture,
  side: Side,
  { mark, email, userId, address, neighbour = 'zoe@people.test' }: FillOptions,
): Promise<Map<string, string>> {
  const ids = await fillTenant(api, side, mark)
  const { project, organizationId } = side.tenant
  const number = project.dsnId
  const run = (sql: string, values: unknown[] = []) => api.pool.query(sql, values)
  const issue = ids.get('issues')
  const text = `from ${email} at ${address}`
  const json = JSON.stringify({ text, [mark]: [email.toUpperCase()] })
  await run(
    `insert into dsn_keys (id, project_id, public_key) values (gen_random_uuid(), $1, $2)`,
    [project.id, hex(mark)],
  )
  await run('update issues set title = $2, culprit = $2 where id = $1', [issue, text])
  await run(`update hash_sums set title = $2 where project_id = $1`, [number, text])
  await run(`update issue_hashes set explanation = $2 where project_id = $1`, [number, json])
  await run(
    `insert into issue_activity (issue_id, kind, actor, data) values ($1, 'comment', $2, $2)`,
    [issue, json],
  )
  const team = randomUUID()
  await run(
    `insert into teams (id, organization_id, slug, name) values ($1, $2, 'backend', 'Back end')`,
    [team, organizationId],
  )
  await run(
    `insert into team_members (team_id, person_id)
     select $1, person_id from memberships where organization_id = $2 limit 1`,
    [team, organizationId],
  )
  await run('update issues set assignee_team = $2 where id = $1', [issue, team])
  await run(
    `insert into issue_bookmarks (issue_id, person_id)
     select $1, person_id from memberships where organization_id = $2 limit 1`,
    [issue, organizationId],
  )
  await run(`insert into project_tag_keys (project_id, key) values ($1, 'customer')`, [number])
  await run(`insert into issue_ignored_users (issue_id, user_hash) values ($1, 7)`, [issue])
  await run(
    `insert into issue_forecasts (issue_id, made_at, expected, limits)
     values ($1, now(), array_fill(1, array[168]), array_fill(50, array[168]))`,
    [issue],
  )
  await run(
    `insert into releases (project_id, version, first_event_at, last_event_at, event_count)
     values ($1, 'a@1', now(), now(), 1)`,
    [number],
  )
  await run(
    `insert into release_commits (project_id, version, commit_id, position, message, author_name, author_email, repository, paths)
     values ($1, 'a@1', repeat('a', 40), 0, $2, 'Ann', $3, 'acme/shop', array['src/a.ts'])`,
    [number, text, email],
  )
  await run(
    `insert into release_deploys (id, project_id, version, environment, name, finished_at)
     values ($2, $1, 'a@1', 'production', 'blue', now())`,
    [number, randomUUID()],
  )
  await run(
    `insert into dead_letters (generation, partition, stream_seq, record_index, project_id, reason, detail, bytes, address, header)
     values (1, 0, $1, 0, $1, 'undigestible', $2, $3, $4, $5)`,
    [
      number,
      text,
      Buffer.from(`{"message":"x\\n${email}","user":{"id":"${userId}","name":"Ann"}}`),
      address,
      json,
    ],
  )
  await run(`insert into quota_usage (project_id, period) values ($1, '2026-11-01')`, [number])
  await run(
    `insert into quota_leases (project_id, period, boot_id, request_no, units) values ($1, '2026-11-01', $2, 1, 5)`,
    [number, randomUUID()],
  )
  await run(
    `insert into quota_minutes (scope, scope_id, minute, used) values ('project', $1, now(), 1)`,
    [number],
  )
  await run(
    `insert into quota_warnings (project_id, period, percent) values ($1, '2026-11-01', 50)`,
    [number],
  )
  await run(
    `insert into item_ids (partition, received_at, project_id, record_id) values (0, now(), $1, $2)`,
    [number, randomUUID()],
  )
  await run(
    `insert into release_health_counts (project_id, hour, release, environment, exited, errored, unhandled, abnormal, crashed)
     values ($1, now(), 'a@1', 'production', 1, 0, 0, 0, 0)`,
    [number],
  )
  await run(`insert into stale_session_days (project_id, day) values ($1, '2026-11-01')`, [number])
  const monitor = randomUUID()
  await run(
    `insert into monitors (id, project_id, slug, partition_hash, problem) values ($1, $2, $3, 1, $4)`,
    [monitor, number, mark, json],
  )
  await run(
    `insert into monitor_environments (monitor_id, environment, partition_hash) values ($1, 'production', 1)`,
    [monitor],
  )
  await run(
    `insert into monitor_runs (project_id, id, monitor_id, environment, status, at)
     values ($1, $2, $3, 'production', 'closed', now())`,
    [number, randomUUID(), monitor],
  )
  await run(
    `insert into outbox_events (event_id, project_id, received_at, payload, client) values ($1, $2, now(), $3, 'x')`,
    [randomUUID(), number, json],
  )
  await run(
    `insert into issue_resolutions (project_id, hash, resolved_at, last_event_at, reason) values ($1, $2, now(), now(), $3)`,
    [number, randomUUID(), json],
  )
  await run(
    `insert into issue_deletions (project_id, issue_id, short_no, actor, event_count, sampled_count, hashes, partitions, generations, committed_seqs)
     values ($1, $2, 9, $3, 1, 0, '{}', '{}', '{}', '{}')`,
    [number, randomUUID(), json],
  )
  await run(
    `insert into new_issue_counts (project_id, hour, kind, count) values ($1, now(), $2, 1)`,
    [number, text],
  )
  await run(
    `insert into outcome_corrections (project_id, dsn_key_no, component, hour, outcome, reason, category, quantity)
     values ($1, 1, '', now(), 'accepted', '', 'error', 1)`,
    [number],
  )
  await run(
    `insert into feedback (project_id, id, message, type, source, person_name, person_email, enduser_id, created_at, updated_at)
     values ($1, $2, $3, 'Bug', 'Api', 'Ann', $4, $5, now(), now())`,
    [number, randomUUID(), text, email.toUpperCase(), userId],
  )
  await run(
    `insert into event_attachments (project_id, event_id, id, name, type, size, sha256, stored_on, received_at, expires_at)
     values ($1, $2, $3, $4, 'event.attachment', 1, decode(repeat('ab', 32), 'hex'), '2026-11-20', now(), now())`,
    [number, randomUUID(), randomUUID(), text],
  )
  await run(
    `insert into attachment_usage (project_id, day, leased_bytes) values ($1, '2026-11-20', 1)`,
    [number],
  )
  await fillAlertTables(api, side, { ids, text, json, email })
  await fillPortalTables(api, side, { ids, text, email, userId })
  await fillEmailTables(api, { organizationId, ids, json, text, email, address, mark })
  await fillClickHouse(api, number, { email, userId, address, text, mark, neighbour })
  return ids
}

async function fillAlertTables(
  api: ApiFixture,
  { tenant, login }: Side,
  options: { ids: Map<string, string>; text: string; json: string; email: string },
): Promise<void> {
  const { ids, text, json, email } = options
  const run = (sql: string, values: unknown[]) => api.pool.query(sql, values)
  const { organizationId, project } = tenant
  const [rule, issue, webhook] = ['alerts', 'issues', 'webhooks'].map((name) => ids.get(name))
  await run(
    `update alert_rules set conditions = jsonb_set(conditions, '{if}', jsonb_build_object('query', $2::text))
     where id = $1`,
    [rule, email],
  )
  const target = randomUUID()
  await run(
    `insert into notification_targets (id, organization_id, rule_id, type, shown, disabled_reason)
     values ($1, $2, $3, 'email', jsonb_build_object('to', jsonb_build_array($4::text)), $5)`,
    [target, organizationId, rule, email, text],
  )
  await run(
    `insert into alert_counts (rule_id, issue_id, step_seconds, minute, count)
     values ($1, $2, 60, now(), 1)`,
    [rule, issue],
  )
  await run(
    `insert into alert_users (rule_id, issue_id, user_hash, seen_at) values ($1, $2, 7, now())`,
    [rule, issue],
  )
  await run(`insert into alert_subjects (rule_id, subject, fired_at) values ($1, 'quota', now())`, [
    rule,
  ])
  await run(
    `insert into alert_firings (rule_id, project_id, type, issue_id, reason, data, cause, at)
     values ($1, $2, 'new_issue', $3, $4, $5, 'a cause', now())`,
    [rule, project.dsnId, issue, text, json],
  )
  const { rows } = await run('select id from notification_targets where webhook_id = $1', [webhook])
  for (const [targetId, ruleId, webhookId] of [
    [target, rule, null],
    [rows[0].id, null, webhook],
  ]) {
    await run(
      `insert into notification_deliveries (id, organization_id, target_id, rule_id, webhook_id, payload, attempts)
       values ($1, $2, $3, $4, $5, $6, jsonb_build_array($6::jsonb))`,
      [randomUUID(), organizationId, targetId, ruleId, webhookId, json],
    )
  }
  await run('insert into alert_stops (person_id, rule_id) values ($1, $2)', [login.personId, rule])
  await run('insert into alert_stops (person_id, issue_id) values ($1, $2)', [
    login.personId,
    issue,
  ])
}

async function fillPortalTables(
  api: ApiFixture,
  { tenant }: Side,
  {
    ids,
    text,
    email,
    userId,
  }: { ids: Map<string, string>; text: string; email: string; userId: string },
): Promise<void> {
  const run = (sql: string, values: unknown[]) => api.pool.query(sql, values)
  const project = tenant.project.id
  const idea = ids.get('ideas')
  const user = randomUUID()
  await run(
    `insert into endusers (id, project_id, enduser_id, email, email_source, name) values ($1, $2, $3, $4, 'typed', 'Ann')`,
    [user, project, userId, email],
  )
  await run(`insert into votes (idea_id, enduser_id, email) values ($1, $2, $3)`, [
    idea,
    user,
    email,
  ])
  const tag = randomUUID()
  await run(
    `insert into tags (id, project_id, slug, name, color) values ($1, $2, 't', 't', '#000000')`,
    [tag, project],
  )
  await run(`insert into idea_tags (idea_id, tag_id) values ($1, $2)`, [idea, tag])
  const duplicate = randomUUID()
  await run(
    `insert into ideas (id, project_id, title, description, status, duplicate_of, author_id, author_email)
     values ($1, $2, $3, $3, 'Duplicate', $4, $5, $6)`,
    [duplicate, project, text, idea, user, email],
  )
  const root = randomUUID()
  await run(
    `insert into comments (id, project_id, idea_id, root_id, depth, body, author_id, author_name, author_email)
     values ($1, $2, $3, $1, 0, $4, $5, 'Ann', $6)`,
    [root, project, idea, text, user, email],
  )
  await run(
    `insert into comments (id, project_id, idea_id, parent_id, root_id, depth, body)
     values ($1, $2, $3, $4, $4, 1, $5)`,
    [randomUUID(), project, idea, root, text],
  )
  await run(
    `insert into idea_events (id, idea_id, kind, actor, details) values ($1, $2, 'status', $3, jsonb_build_object('by', $3::text))`,
    [randomUUID(), idea, text],
  )
  for (const sent of [null, new Date(0)]) {
    await run(
      `insert into portal_notices (id, project_id, idea_id, email_key, email, kind, not_before, sent_at)
       values ($1, $2, $3, $4, $4, 'status', now(), $5)`,
      [randomUUID(), project, idea, email, sent],
    )
  }
  await run(`insert into portal_optouts (project_id, email_key, reason) values ($1, $2, 'stop')`, [
    project,
    email,
  ])
  await run(`insert into portal_settings (project_id) values ($1) on conflict do nothing`, [
    project,
  ])
}
