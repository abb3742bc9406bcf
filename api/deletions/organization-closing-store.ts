/** Ends all access to an organization, before a job removes its rows. */
import type { Database } from '../database.ts'

export async function lockOrganization(
  client: Database,
  id: string,
): Promise<{ readonly name: string } | undefined> {
  const { rows } = await client.query<{ name: string }>(
    'select name from organizations where id = $1 for update',
    [id],
  )
  return rows[0]
}

/**
 * Credentials, logins and people go, public pages close, and nothing more is sent. An email that
 * the mailer holds is sent or not, as if the request had come a moment later. Returns how many rows
 * were deleted, by table.
 */
export async function closeOrganization(
  client: Database,
  id: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of ['access_tokens', 'api_keys', 'logins', 'bounce_adapters']) {
    const { rowCount } = await client.query(`delete from ${table} where organization_id = $1`, [id])
    counts[table] = rowCount ?? 0
  }
  // People of no other organization: their links and logins go with them.
  const people = await client.query(
    `delete from people where id in (select person_id from memberships where organization_id = $1)
       and id not in (select person_id from memberships where organization_id <> $1)`,
    [id],
  )
  const others = await client.query('delete from memberships where organization_id = $1', [id])
  counts['people'] = people.rowCount ?? 0
  counts['memberships'] = counts['people'] + (others.rowCount ?? 0)
  await cancelEmails(client, id)
  return counts
}

async function cancelEmails(client: Database, id: string): Promise<void> {
  await client.query(
    'update newsletters set archive_enabled = false, welcome_enabled = false where organization_id = $1',
    [id],
  )
  await client.query(
    `update campaigns set state = 'cancelled', reason = 'organization_deleted', finished_at = now()
     where organization_id = $1 and state in ('scheduled', 'preparing', 'sending', 'paused')`,
    [id],
  )
  await client.query(
    `update sends set state = 'cancelled', reason = 'organization_deleted', finished_at = now()
     where organization_id = $1 and state = 'queued'`,
    [id],
  )
  await client.query(
    `update contact_imports set state = 'cancelled', finished_at = now()
     where organization_id = $1 and state in ('waiting', 'running')`,
    [id],
  )
}
