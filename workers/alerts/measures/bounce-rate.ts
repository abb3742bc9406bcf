/** Bounces and complaints of an organization's emails. */
import { formatWindow } from '../format-window.ts'
import { type Measure, type MeasureContext, percentOf } from './measure.ts'

interface EmailSums {
  readonly organization_id: string
  readonly emails: number
  readonly bounces: number
  readonly complaints: number
}

export const measureBounces: Measure<'bounce_rate'> = async (ctx, rules) => {
  const byWindow = new Map<number, Map<string, EmailSums>>()
  for (const window of new Set(rules.map(({ condition }) => condition.window_seconds))) {
    const organizations = rules
      .filter(({ condition }) => condition.window_seconds === window)
      .map(({ organizationId }) => organizationId)
    byWindow.set(window, await readEmails(ctx, [...new Set(organizations)], window))
  }
  return rules.map(({ organizationId, condition }) => {
    const { of, above_percent, emails_min, window_seconds } = condition
    const sums = byWindow.get(window_seconds)?.get(organizationId)
    if (sums === undefined || sums.emails < emails_min) return undefined
    const percent = percentOf(sums[of], sums.emails)
    const what = of === 'bounces' ? 'bounced' : 'led to a complaint'
    return {
      isOver: percent > above_percent,
      reason: `${percent} percent of ${sums.emails} emails ${what} in ${formatWindow(window_seconds)}; the rule's limit is ${above_percent}.`,
      numbers: { percent, above_percent, emails: sums.emails, window_seconds },
    }
  })
}

/** A report counts when it is received, which may be after the window of its email. */
async function readEmails(
  { pg, clock }: MeasureContext,
  organizations: readonly string[],
  windowSeconds: number,
): Promise<Map<string, EmailSums>> {
  const since = new Date(clock.nowMs() - windowSeconds * 1000)
  const { rows } = await pg.query<EmailSums>(
    `select id as organization_id, single.emails + of_campaigns.emails as emails, bounces, complaints
     from organizations
     cross join lateral (
       select count(*)::int as emails from sends
       where organization_id = organizations.id and created_at >= $2::timestamptz - interval '1 day'
         and handed_over_at >= $2
     ) single
     cross join lateral (
       select count(*)::int as emails from campaigns c join deliveries d on d.campaign_id = c.id
       where c.organization_id = organizations.id and c.sent_at is not null
         and (c.finished_at is null or c.finished_at >= $2) and d.handed_over_at >= $2
     ) of_campaigns
     cross join lateral (
       select count(distinct address_id) filter (where type <> 'complaint')::int as bounces,
         count(distinct address_id) filter (where type = 'complaint')::int as complaints
       from bounce_reports where organization_id = organizations.id and received_at >= $2
     ) reported
     where id = any($1)`,
    [organizations, since],
  )
  return new Map(rows.map((row) => [row.organization_id, row]))
}
