/** Who gets the emails of a delivery. */
import type { Pool } from '#platform/postgres.ts'
import { domainOf, type ParsedRecipients } from './parse-recipients.ts'

export interface Recipient {
  /** Null: an address that belongs to no person. */
  readonly personId: string | null
  readonly email: string
  readonly stoppedRule: boolean
  /** Issues of the delivery whose emails the person has stopped. */
  readonly stoppedIssues: readonly string[]
}

export interface AskedRecipients {
  readonly organizationId: string
  readonly ruleId: string
  readonly recipients: ParsedRecipients
  readonly issueIds: readonly string[]
}

/** Bounds what one delivery sends; teams have no other bound. */
export const recipientsMax = 200

/**
 * Only people who belong to the organization now, and addresses at domains that it has verified.
 * Owners take the place of an assignee who does not exist.
 */
export async function findRecipients(pg: Pool, asked: AskedRecipients): Promise<Recipient[]> {
  const { organizationId, ruleId, issueIds, recipients } = asked
  const { owners, assignee, teams, personIds, emails } = recipients
  const { rows } = await pg.query<Recipient>(
    `with assigned as (
       select m.person_id from issues i
         join memberships m on m.organization_id = $1 and (m.person_id = i.assignee
           or exists (select from team_members t where t.team_id = i.assignee_team and t.person_id = m.person_id))
        where i.id = any($7::uuid[])
     ), chosen as (
       select m.person_id, p.email from memberships m join people p on p.id = m.person_id
        where m.organization_id = $1 and (
          (m.role = 'owner' and ($2 or ($3 and not exists (select from assigned))))
          or ($3 and m.person_id in (select person_id from assigned))
          or p.id = any($5::uuid[]) or p.email = any($6::text[])
          or exists (select from team_members tm join teams t on t.id = tm.team_id
                      where tm.person_id = m.person_id and t.organization_id = $1 and t.slug = any($4::text[])))
     )
     select c.person_id as "personId", c.email,
       exists (select from alert_stops s where s.person_id = c.person_id and s.rule_id = $8) as "stoppedRule",
       array(select s.issue_id::text from alert_stops s
              where s.person_id = c.person_id and s.issue_id = any($7::uuid[])) as "stoppedIssues"
       from chosen c
     union all
     select null, a.email, false, '{}' from unnest($6::text[], $9::text[]) a (email, domain)
      where not exists (select from chosen c where c.email = a.email)
        and exists (select from sending_domains d
                     where d.organization_id = $1 and d.state = 'verified' and d.domain = a.domain)
     order by 1 nulls last, 2 limit ${recipientsMax}`,
    [
      organizationId,
      owners,
      assignee,
      teams,
      personIds,
      emails,
      issueIds,
      ruleId,
      emails.map(domainOf),
    ],
  )
  return rows
}

export interface RuleProject {
  readonly shortName: string
  /** Number of the project in its DSNs. */
  readonly dsnId: number
  /** Set when the delivery was replayed. */
  readonly replayedAt: Date | null
}

/** Undefined: the rule or the delivery was deleted. */
export async function findRuleProject(
  pg: Pool,
  { ruleId, deliveryId }: { ruleId: string; deliveryId: string },
): Promise<RuleProject | undefined> {
  const { rows } = await pg.query<RuleProject>(
    `select p.short_name as "shortName", p.dsn_id as "dsnId", d.replayed_at as "replayedAt"
       from alert_rules r join projects p on p.dsn_id = r.project_id
       join notification_deliveries d on d.id = $2
      where r.id = $1`,
    [ruleId, deliveryId],
  )
  return rows[0]
}
