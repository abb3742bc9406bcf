/**
 * The present names of what the entries of the audit log are about. An entry itself keeps the id,
 * because a thing can be renamed, and names of people have to be erasable.
 */
import type { Database } from '../database.ts'

export interface AuditSubject {
  readonly name: string
  /** Of what belongs to a project. */
  readonly projectId: string | null
}

/** Of the text of a comment or of feedback. */
const textCharactersMax = 80

interface Row {
  readonly type: string
  readonly id: string
  readonly name: string
  readonly project_id: string | null
}

interface Source {
  readonly from: string
  readonly name: string
  /** Of the organization, $1. */
  readonly where: string
  readonly project?: string
}

/** By type of subject. */
export const auditSources: Readonly<Record<string, Source>> = {
  project: { ...ofOrganization('projects', 't.name'), project: 't.id' },
  organization: { from: 'organizations t', name: 't.name', where: 't.id = $1' },
  person: {
    from: 'people t join memberships m on m.person_id = t.id',
    name: "coalesce(nullif(t.name, ''), t.email)",
    where: 'm.organization_id = $1',
  },
  team: ofOrganization('teams', 't.name'),
  deletion: ofOrganization('deletions', "'data of a ' || t.kind"),
  token: ofOrganization('access_tokens', 't.label'),
  api_key: ofOrganization('api_keys', 't.label'),
  webhook: ofOrganization(
    'webhooks',
    "coalesce(nullif(t.label, ''), target.shown ->> 'url', '')",
    'left join notification_targets target on target.webhook_id = t.id',
  ),
  delivery: {
    ...ofOrganization(
      'notification_deliveries',
      "coalesce(rule.name, nullif(w.label, ''), target.shown ->> 'url', target.type)",
      `join notification_targets target on target.id = t.target_id
       left join webhooks w on w.id = t.webhook_id
       left join alert_rules rule on rule.id = t.rule_id
       left join projects p on p.dsn_id = rule.project_id`,
    ),
    project: 'p.id',
  },
  bounce_adapter: ofOrganization('bounce_adapters', "coalesce(nullif(t.label, ''), t.adapter)"),
  newsletter: ofOrganization('newsletters', 't.name'),
  campaign: ofOrganization('campaigns', 't.subject'),
  sending_domain: ofOrganization('sending_domains', 't.domain'),
  email: ofOrganization('sends', 't.subject'),
  address: ofOrganization('addresses', 't.email'),
  contact: ofOrganization('contacts', 'a.email', 'join addresses a on a.id = t.address_id'),
  contact_import: ofOrganization(
    'contact_imports',
    'n.name',
    'join newsletters n on n.id = t.newsletter_id',
  ),
  alert: ofProject('alert_rules', 't.name', 'dsn_id'),
  dsn_key: ofProject('dsn_keys', 'coalesce(t.label, left(t.public_key, 8))'),
  idea: ofProject('ideas', 't.title'),
  comment: ofProject('comments', `left(t.body, ${textCharactersMax})`),
  feedback: ofProject('feedback', `left(t.message, ${textCharactersMax})`, 'dsn_id'),
  tag: ofProject('tags', 't.name'),
  view: ofProject('saved_views', 't.name', 'dsn_id'),
  enduser_secret: ofProject('enduser_secrets', 't.prefix'),
  enduser: ofProject('endusers', 'coalesce(t.name, t.email, t.enduser_id)'),
}

function ofOrganization(table: string, name: string, join = ''): Source {
  return { from: `${table} t ${join}`, name, where: 't.organization_id = $1' }
}

/** Tables name a project by its id, or by the number in its DSN. */
function ofProject(table: string, name: string, key: 'id' | 'dsn_id' = 'id'): Source {
  return {
    from: `${table} t join projects p on p.${key} = t.project_id`,
    name,
    where: 'p.organization_id = $1',
    project: 'p.id',
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** By `type id`. What was deleted, or has no id of its own, is missing. */
export async function findAuditSubjects(
  pg: Database,
  organizationId: string,
  entries: readonly { readonly subject_type: string; readonly subject_id: string | null }[],
): Promise<ReadonlyMap<string, AuditSubject>> {
  const wanted = entries.filter(({ subject_id: id }) => id !== null && uuid.test(id))
  const types = new Set(wanted.map(({ subject_type: type }) => type))
  const queries = [...types].flatMap((type) => {
    const source = Object.hasOwn(auditSources, type) ? auditSources[type] : undefined
    return source === undefined ? [] : [queryOf(type, source)]
  })
  if (queries.length === 0) return new Map()
  const ids = [...new Set(wanted.map(({ subject_id: id }) => id))]
  const { rows } = await pg.query<Row>(queries.join(' union all '), [organizationId, ids])
  return new Map(
    rows.map(({ type, id, name, project_id: projectId }) => [`${type} ${id}`, { name, projectId }]),
  )
}

function queryOf(type: string, { from, name, where, project = 'null::uuid' }: Source): string {
  return `select '${type}' as type, t.id::text, ${name} as name, ${project} as project_id
    from ${from} where ${where} and t.id = any($2::uuid[])`
}
