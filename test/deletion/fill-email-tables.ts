/** Rows about the emails of a person: contacts, campaigns, sends, imports, the audit log. */
import { randomUUID } from 'node:crypto'
import type { ApiFixture } from '../fixtures/api-fixture.ts'

export async function fillEmailTables(
  api: ApiFixture,
  options: {
    organizationId: string
    ids: Map<string, string>
    json: string
    text: string
    email: string
    address: string
    mark: string
  },
): Promise<void> {
  const { organizationId, ids, json, text, email, address, mark } = options
  const run = (sql: string, values: unknown[]) => api.pool.query(sql, values)
  const { rows } = await run(`select id from newsletters where organization_id = $1`, [
    organizationId,
  ])
  const newsletter = rows[0].id
  const campaign = ids.get('campaigns')
  const addressId = randomUUID()
  const contact = randomUUID()
  await run(
    `insert into addresses (id, organization_id, email, email_key, suppressed_at, suppression_cause) values ($1, $2, $3, $4, now(), 'hard')`,
    [addressId, organizationId, email.toUpperCase(), email],
  )
  await run(
    `insert into contacts (id, organization_id, newsletter_id, address_id, status, name, signup_ip, attribs)
     values ($1, $2, $3, $4, 'unsubscribed', 'Ann', $5, $6)`,
    [contact, organizationId, newsletter, addressId, address, json],
  )
  await run(
    `insert into contact_events (id, contact_id, kind, via, ip, details) values ($1, $2, 'x', 'x', $3, $4)`,
    [randomUUID(), contact, address, json],
  )
  await run(
    `insert into contact_events (id, contact_id, kind, via, ip, details) values ($1, $2, 'x', 'x', $3, $4)`,
    [randomUUID(), ids.get('contacts'), address, json],
  )
  await run(
    `insert into confirm_tokens (token_hash, contact_id, expires_at) values ($1, $2, now())`,
    [Buffer.from(mark), contact],
  )
  await run(
    `insert into data_requests (token_hash, address_id, purpose, expires_at) values ($1, $2, 'erase', now())`,
    [Buffer.from(mark), addressId],
  )
  await run(
    `insert into bounce_reports (id, organization_id, address_id, type, counted, excerpt, at) values ($1, $2, $3, 'hard', true, $4, now())`,
    [randomUUID(), organizationId, addressId, text],
  )
  for (const to of [email, `other@${mark}.test`]) {
    await run(
      `insert into sends (id, organization_id, address_id, kind, priority, from_address, to_address, subject, text, html, headers, state)
       values ($1, $2, $3, 'transactional', 1, 'a@b.test', $4, $5, $5, $5, $6, $7)`,
      [
        randomUUID(),
        organizationId,
        to === email ? addressId : await otherAddress(api, organizationId, to),
        to,
        text,
        json,
        to === email ? 'claimed' : 'sent',
      ],
    )
  }
  await run(
    `insert into delivery_blocks (campaign_id, after_contact, last_contact) values ($1, $2, $2)`,
    [campaign, contact],
  )
  await run(`insert into campaign_counts (campaign_id) values ($1) on conflict do nothing`, [
    campaign,
  ])
  await run(`insert into campaign_links (campaign_id, link_index, url) values ($1, 1, $2)`, [
    campaign,
    `https://example.com/?to=${encodeURIComponent(email)}`,
  ])
  await run(
    `insert into deliveries (campaign_id, contact_id, address_id, state, lease_until) values ($1, $2, $3, 'claimed', now() + interval '1 hour')`,
    [campaign, contact, addressId],
  )
  await run(
    `insert into tracking_hits (campaign_id, contact_id, kind, machine, user_agent, at) values ($1, $2, 'open', false, $3, now())`,
    [campaign, contact, text],
  )
  const imported = randomUUID()
  await run(
    // Leased far beyond the test, so that no process begins it.
    `insert into contact_imports (id, organization_id, newsletter_id, plan, dry_run, file_bytes, problems, created_by,
       state, lease_until)
     values ($1, $2, $3, '{}', false, 10, $4, $5, 'running', '2100-01-01')`,
    [imported, organizationId, newsletter, JSON.stringify([json]), email],
  )
  await run(`insert into contact_import_chunks (import_id, chunk_no, bytes) values ($1, 0, $2)`, [
    imported,
    Buffer.from(`email,name\n${email},Ann\n`),
  ])
  await run(`insert into erased_opt_outs (organization_id, email_hash) values ($1, $2)`, [
    organizationId,
    `sha256:${mark}`,
  ])
  await run(
    `insert into idempotency_keys (organization_id, api_key_id, key_hash, body_hash, status, reply)
     values ($1, $2, $3, $3, 200, $4)`,
    [organizationId, randomUUID(), Buffer.from(mark), json],
  )
  await run(
    `insert into allowed_from_domains (organization_id, domain, reason, created_by) values ($1, 'x.test', $2, $3)`,
    [organizationId, text, email],
  )
  await run(
    `insert into audit_log (id, organization_id, actor, via, action, subject_type, details, ip)
     values ($1, $2, $3, 'login', 'x.y', 'x', $4, $5)`,
    [randomUUID(), organizationId, email, json, address],
  )
}

async function otherAddress(api: ApiFixture, organizationId: string, email: string) {
  const id = randomUUID()
  await api.pool.query(
    'insert into addresses (id, organization_id, email, email_key) values ($1, $2, $3, $3)',
    [id, organizationId, email],
  )
  return id
}
