/** Who may receive the emails of an organization's alert rules. */
import type { Database } from '../../database.ts'

export interface KnownRecipients {
  /** Ids and email addresses of people of the organization. */
  readonly people: ReadonlySet<string>
  /** The number of members by slug. */
  readonly teams: ReadonlyMap<string, number>
  /** Sending domains that the organization has verified. */
  readonly domains: ReadonlySet<string>
  readonly hasOwners: boolean
}

export async function findRecipients(
  pg: Database,
  asked: {
    readonly organizationId: string
    readonly personIds: readonly string[]
    readonly emails: readonly string[]
    readonly teams: readonly string[]
    readonly domains: readonly string[]
  },
): Promise<KnownRecipients> {
  const { rows } = await pg.query<{ kind: string; name: string; count: number }>(
    `select 'person' as kind, p.id::text as name, 1 as count
       from memberships m join people p on p.id = m.person_id
      where m.organization_id = $1 and p.id = any($2::uuid[])
     union all
     select 'person', p.email, 1 from memberships m join people p on p.id = m.person_id
      where m.organization_id = $1 and p.email = any($3::text[])
     union all
     select 'team', t.slug, (select count(*)::int from team_members m where m.team_id = t.id)
       from teams t where t.organization_id = $1 and t.slug = any($4::text[])
     union all
     select 'domain', domain, 1 from sending_domains
      where organization_id = $1 and state = 'verified' and domain = any($5::text[])
     union all
     select 'owners', '', count(*)::int from memberships where organization_id = $1 and role = 'owner'`,
    [asked.organizationId, asked.personIds, asked.emails, asked.teams, asked.domains],
  )
  const named = (kind: string) => rows.filter((row) => row.kind === kind)
  return {
    people: new Set(named('person').map(({ name }) => name)),
    teams: new Map(named('team').map(({ name, count }) => [name, count])),
    domains: new Set(named('domain').map(({ name }) => name)),
    hasOwners: named('owners').some(({ count }) => count > 0),
  }
}

/**
 * Call before a person leaves the organization: where an alert rule names their address, it names
 * their id afterwards, which reaches nobody. Else the address would stay a recipient if it is at a
 * verified domain, without a link to stop the emails.
 */
export async function nameRecipientById(
  pg: Database,
  person: { readonly organizationId: string; readonly personId: string; readonly email: string },
): Promise<void> {
  await pg.query(
    `update notification_targets set shown = jsonb_set(shown, '{to}', (
       select jsonb_agg(distinct case when lower(recipient) = $3 then $2 else recipient end)
       from jsonb_array_elements_text(shown -> 'to') recipient))
     where organization_id = $1 and type = 'email' and exists (
       select from jsonb_array_elements_text(shown -> 'to') recipient where lower(recipient) = $3)`,
    [person.organizationId, person.personId, person.email],
  )
}
