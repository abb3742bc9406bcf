/**
 * Token buckets shared by all mail processes: one for the transport, and one for each campaign with
 * a rate limit of its own.
 */
import type { Pool } from '#platform/postgres.ts'

export const transportName = 'default'

/** Emails per second of the transport; undefined if it has no limit. */
export async function readRate(pg: Pool): Promise<number | undefined> {
  const { rows } = await pg.query<{ rate_max: number | null }>(
    'select rate_max from mail_transports where name = $1',
    [transportName],
  )
  return rows[0]?.rate_max ?? undefined
}

export async function setCampaignRate(
  pg: Pool,
  campaignId: string,
  rateMax: number,
): Promise<string> {
  const name = `campaign ${campaignId}`
  await pg.query(
    `insert into mail_transports (name, rate_max) values ($1, $2)
       on conflict (name) do update set rate_max = excluded.rate_max where mail_transports.rate_max is distinct from excluded.rate_max`,
    [name, rateMax],
  )
  return name
}

export async function takeTokens(
  pg: Pool,
  take: { transport: string; wanted: number; always: boolean },
): Promise<number> {
  const { rows } = await pg.query<{ granted: number }>(
    'select take_mail_tokens($1, $2, $3) as granted',
    [take.transport, take.wanted, take.always],
  )
  return rows[0]?.granted ?? 0
}

export async function forgetCampaignRate(pg: Pool, campaignId: string): Promise<void> {
  await pg.query('delete from mail_transports where name = $1', [`campaign ${campaignId}`])
}
