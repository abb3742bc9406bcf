/**
 * What the live updates compare from one second to the next: for each watched project and
 * organization some short lists of rows with their version. A version is `xmin`, the transaction
 * that wrote the row last, so that no table needs a column, a trigger or a message for it. Each
 * list is read from an index, has a bound, and arrives as one text, because most do not change.
 */
import type { Database } from '../database.ts'

export interface WatchedProject {
  readonly id: string
  readonly dsnId: number | string
}

export interface Versions {
  /** Id of the project or organization, or `ofInstallation`. */
  readonly owner: string
  readonly part: VersionPart
  readonly rows: string
}

/** Several parts may concern one topic: see `announced` in compare-versions.ts. */
export type VersionPart =
  | 'seen'
  | 'decided'
  | 'activity'
  | 'activity_span'
  | 'monitors'
  | 'releases'
  | 'feedback'
  | 'ideas'
  | 'top_ideas'
  | 'pending_ideas'
  | 'pending_comments'
  | 'alerts'
  | 'audit'
  | 'campaigns'
  | 'imports'

export const ofInstallation = ''

/** Between rows, and between the id and the version of a row. No stored text contains them. */
export const rowSeparator = '\u001e'
export const fieldSeparator = '\u001f'

/** Rows of one list. A page of the dashboard shows at most as many. */
const rowsMax = 50
const releasesMax = 20
const monitorsMax = 200
const rulesMax = 50
const deliveriesOfRuleMax = 3
const importsMax = 10
/** Changes of issues in the whole installation between two reads. */
export const activitiesMax = 200

const list = (id: string, version: string) =>
  `coalesce(string_agg(${id} || chr(31) || ${version}, chr(30)), '')`

/**
 * One list of each project `p` or organization `o`: columns `id` and `version`, in a fixed order.
 */
function part(name: VersionPart, of: 'p' | 'o', select: string): string {
  const owners = of === 'p' ? 'projects_watched p' : 'organizations_watched o'
  return `select ${of}.id::text as owner, '${name}' as part,
    (select ${list('w.id', 'w.version')} from (${select}) w) as rows from ${owners}`
}

const sql = `with projects_watched as (
    select * from unnest($1::uuid[], $2::bigint[]) as p (id, dsn_id)
  ), organizations_watched as (
    select * from unnest($3::uuid[]) as o (id)
  ), latest_activity as materialized (
    -- A join would read all issues of a project.
    select id, issue_id, (select project_id from issues where issues.id = a.issue_id) as project_id
    from (select id, issue_id from issue_activity order by id desc limit ${activitiesMax}) a
  )
${[
  part(
    'seen',
    'p',
    `select id, xmin || '/' || count as version from issues
      where project_id = p.dsn_id order by last_seen desc, issues.id desc limit ${rowsMax}`,
  ),
  // Issues that left the triage queue, which may have been seen last long ago.
  part(
    'decided',
    'p',
    `select id, xmin::text as version from issues
      where project_id = p.dsn_id and triage_left_at is not null
      order by triage_left_at desc limit ${rowsMax}`,
  ),
  // Decisions about all other issues.
  part(
    'activity',
    'p',
    `select issue_id as id, max(id)::text as version from latest_activity
      where project_id = p.dsn_id group by issue_id`,
  ),
  `select '' as owner, 'activity_span' as part,
    (select coalesce(min(id) || '/' || max(id) || '/' || count(*), '') from latest_activity) as rows`,
  part(
    'monitors',
    'p',
    `select m.slug as id, m.xmin || '/' || coalesce((
        select string_agg(e.xmin::text, '/' order by e.environment)
        from monitor_environments e where e.monitor_id = m.id), '') as version
      from monitors m where m.project_id = p.dsn_id order by m.slug limit ${monitorsMax}`,
  ),
  part(
    'releases',
    'p',
    `select version as id, xmin::text as version from releases
      where project_id = p.dsn_id order by last_event_at desc, releases.version limit ${releasesMax}`,
  ),
  part(
    'feedback',
    'p',
    `select id, xmin::text as version from feedback
      where project_id = p.dsn_id order by created_at desc, feedback.id desc limit ${rowsMax}`,
  ),
  part(
    'ideas',
    'p',
    `select i.id, i.xmin || '/' || coalesce(c.xmin::text, '') as version
      from (select id, xmin from ideas where project_id = p.id and moderation = 'published'
            order by created_at desc, ideas.id desc limit ${rowsMax}) i
      left join idea_counts c on c.idea_id = i.id`,
  ),
  part(
    'top_ideas',
    'p',
    `select idea_id as id, xmin::text as version from idea_counts
      where project_id = p.id and published
      order by vote_count desc, created_at desc, idea_id desc limit ${rowsMax}`,
  ),
  part(
    'pending_ideas',
    'p',
    `select id, xmin::text as version from ideas
      where project_id = p.id and moderation = 'pending'
      order by created_at desc, ideas.id desc limit ${rowsMax}`,
  ),
  part(
    'pending_comments',
    'p',
    `select id, xmin::text as version from comments
      where project_id = p.id and moderation = 'pending' order by created_at desc limit ${rowsMax}`,
  ),
  part(
    'alerts',
    'p',
    `select r.id, r.xmin || '/' || coalesce((
        select string_agg(d.xmin::text, '/') from (
          select xmin from notification_deliveries where rule_id = r.id
          order by id desc limit ${deliveriesOfRuleMax}) d), '') as version
      from alert_rules r where r.project_id = p.dsn_id limit ${rulesMax}`,
  ),
  part(
    'audit',
    'o',
    `select id, subject_type || '/' || coalesce(subject_id, '') as version from (
        select id, subject_type, subject_id from audit_log
        where organization_id = o.id order by at desc, audit_log.id desc limit ${rowsMax}) latest
      where subject_type in ('idea', 'comment', 'feedback', 'campaign', 'contact_import')`,
  ),
  part(
    'campaigns',
    'o',
    `select c.id, c.xmin || '/' || coalesce(n.xmin::text, '') as version
      from campaigns c left join campaign_counts n on n.campaign_id = c.id
      where c.organization_id = o.id and c.state in ('scheduled', 'preparing', 'sending', 'paused')
      order by c.id limit ${rowsMax}`,
  ),
  part(
    'imports',
    'o',
    `select id, xmin::text as version from contact_imports
      where organization_id = o.id order by contact_imports.id desc limit ${importsMax}`,
  ),
].join('\nunion all\n')}`

/** One query for all that is watched. */
export async function readVersions(
  pg: Database,
  watched: {
    readonly projects: readonly WatchedProject[]
    readonly organizationIds: readonly string[]
  },
): Promise<readonly Versions[]> {
  const { rows } = await pg.query<{ owner: string; part: VersionPart; rows: string }>(
    sql,
    [
      watched.projects.map(({ id }) => id),
      watched.projects.map(({ dsnId }) => dsnId),
      watched.organizationIds,
    ],
    'live_versions',
  )
  return rows
}
