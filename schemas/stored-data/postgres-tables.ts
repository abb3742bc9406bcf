/**
 * Every table of Postgres: whose its rows are, whether an export contains them, and what an erasure
 * of a person must not rewrite. Deletions, exports and erasures read this list, and a test compares
 * it with the schema, so a new table cannot be forgotten.
 */
import { idsOf, numbersOf, organizationOf, type Scope } from './scope.ts'

export interface PostgresTable {
  readonly name: string
  readonly of: 'project' | 'organization'
  /** The condition of the rows of a scope. */
  readonly rows: (scope: Scope) => string
  /** Why no export contains the table; absent when exports contain it. */
  readonly notExported?: string
  /** Columns that exports leave out: secrets, hashes of secrets, and what is derived. */
  readonly secrets?: readonly string[]
  /** No index leads to the rows of a scope: the table is read page by page. */
  readonly isScanned?: true
  /**
   * Text columns that an erasure leaves alone: names by which people and programs refer to the row.
   */
  readonly names?: readonly string[]
}

const byNumber = (scope: Scope) => `project_id = any(${numbersOf(scope)})`
const byProject = (scope: Scope) => `project_id = any(${idsOf(scope)})`
const byOrganization = (scope: Scope) => `organization_id = ${organizationOf(scope)}`

/** Rows that refer to rows of another table of the list. */
function through(column: string, parent: string, key: string, rows: (scope: Scope) => string) {
  return (scope: Scope) => `${column} in (select ${key} from ${parent} where ${rows(scope)})`
}
const ofIssues = through('issue_id', 'issues', 'id', byNumber)
const ofMonitors = through('monitor_id', 'monitors', 'id', byNumber)
const ofIdeas = through('idea_id', 'ideas', 'id', byProject)
const ofCampaigns = through('campaign_id', 'campaigns', 'id', byOrganization)
const ofContacts = through('contact_id', 'contacts', 'id', byOrganization)
const ofTeams = through('team_id', 'teams', 'id', byOrganization)
const ofImports = through('import_id', 'contact_imports', 'id', byOrganization)
const ofAddresses = through('address_id', 'addresses', 'id', byOrganization)

const ofRules = through('rule_id', 'alert_rules', 'id', byNumber)
const ofWebhooks = through('webhook_id', 'webhooks', 'id', byOrganization)
/** Rows of rules belong to a project, those of webhooks to an organization. */
const ofTargetOwners = (scope: Scope) => `(${ofRules(scope)} or ${ofWebhooks(scope)})`
const ofStops = (scope: Scope) => `(${ofRules(scope)} or ${ofIssues(scope)})`

const internal = 'It is state of the pipeline and is rebuilt.'
const secret = 'It holds secrets only.'

/**
 * In the order of deletion: a row comes before the rows that it refers to, and the tables that a
 * commit locks come in the order in which it locks them.
 */
export const postgresTables: readonly PostgresTable[] = [
  { name: 'dsn_keys', of: 'project', rows: byProject, names: ['public_key', 'label'] },
  { name: 'enduser_secrets', of: 'project', rows: byProject, notExported: secret },
  { name: 'portal_notices', isScanned: true, of: 'project', rows: byProject },
  { name: 'portal_optouts', of: 'project', rows: byProject },
  {
    name: 'quota_minutes',
    of: 'project',
    rows: (scope) => `scope = 'project' and scope_id = any(${numbersOf(scope)})`,
    notExported: internal,
    names: ['scope'],
  },
  { name: 'outbox_events', isScanned: true, of: 'project', rows: byNumber, notExported: internal },
  { name: 'outcome_corrections', of: 'project', rows: byNumber, notExported: internal },
  { name: 'item_ids', isScanned: true, of: 'project', rows: byNumber, notExported: internal },
  { name: 'dead_letters', of: 'project', rows: byNumber },
  { name: 'new_issue_counts', of: 'project', rows: byNumber, notExported: internal },
  { name: 'issue_resolutions', of: 'project', rows: byNumber, notExported: internal },
  { name: 'issue_deletions', of: 'project', rows: byNumber },
  { name: 'monitor_runs', of: 'project', rows: byNumber, names: ['environment', 'release'] },
  { name: 'monitor_environments', of: 'project', rows: ofMonitors, names: ['environment'] },
  { name: 'monitors', of: 'project', rows: byNumber, names: ['slug', 'timezone'] },
  {
    name: 'release_health_counts',
    of: 'project',
    rows: byNumber,
    names: ['release', 'environment'],
  },
  { name: 'stale_session_days', of: 'project', rows: byNumber, notExported: internal },
  { name: 'alert_stops', of: 'project', rows: ofStops },
  { name: 'notification_deliveries', of: 'project', rows: ofTargetOwners, names: ['state'] },
  { name: 'alert_firings', of: 'project', rows: ofRules, names: ['type'] },
  { name: 'alert_subjects', of: 'project', rows: ofRules, notExported: internal },
  { name: 'alert_users', of: 'project', rows: ofRules, notExported: internal },
  { name: 'alert_counts', of: 'project', rows: ofRules, notExported: internal },
  {
    name: 'notification_targets',
    of: 'project',
    rows: ofTargetOwners,
    secrets: ['sealed_settings'],
    names: ['type'],
  },
  { name: 'alert_rules', of: 'project', rows: byNumber, names: ['name'] },
  { name: 'saved_views', of: 'project', rows: byNumber, names: ['name', 'page'] },
  { name: 'attachment_usage', of: 'project', rows: byNumber, notExported: internal },
  {
    name: 'event_attachments',
    of: 'project',
    rows: byNumber,
    secrets: ['sha256'],
    names: ['type', 'content_type'],
  },
  { name: 'feedback', of: 'project', rows: byNumber, secrets: ['search'] },
  { name: 'issue_ignored_users', of: 'project', rows: ofIssues, notExported: internal },
  { name: 'issue_forecasts', of: 'project', rows: ofIssues, notExported: internal },
  { name: 'issue_bookmarks', of: 'project', rows: ofIssues },
  { name: 'issue_links', of: 'project', rows: ofIssues },
  {
    name: 'project_tag_keys',
    of: 'project',
    rows: byNumber,
    names: ['key'],
    notExported: internal,
  },
  { name: 'issue_activity', of: 'project', rows: ofIssues },
  { name: 'hash_sums', of: 'project', rows: byNumber, names: ['first_release', 'last_release'] },
  { name: 'issue_hashes', of: 'project', rows: byNumber },
  {
    name: 'issues',
    of: 'project',
    rows: byNumber,
    names: ['first_release', 'last_release', 'resolved_release', 'resolved_commit'],
  },
  { name: 'issue_numbers', of: 'project', rows: byNumber, notExported: internal },
  {
    name: 'release_commits',
    of: 'project',
    rows: byNumber,
    names: ['version', 'commit_id', 'repository'],
  },
  { name: 'release_deploys', of: 'project', rows: byNumber, names: ['version', 'environment'] },
  { name: 'releases', of: 'project', rows: byNumber, names: ['version'] },
  { name: 'portal_totals', of: 'project', rows: byProject, names: ['status'] },
  { name: 'votes', of: 'project', rows: ofIdeas },
  { name: 'idea_tags', of: 'project', rows: ofIdeas },
  { name: 'idea_events', of: 'project', rows: ofIdeas },
  { name: 'comments', isScanned: true, of: 'project', rows: byProject },
  { name: 'idea_counts', of: 'project', rows: byProject },
  { name: 'ideas', of: 'project', rows: byProject, secrets: ['search', 'title_sounds'] },
  { name: 'tags', of: 'project', rows: byProject, names: ['slug', 'name', 'color'] },
  { name: 'endusers', of: 'project', rows: byProject },
  { name: 'portal_settings', of: 'project', rows: byProject, names: ['search_language'] },
  { name: 'quota_leases', isScanned: true, of: 'project', rows: byNumber, notExported: internal },
  { name: 'quota_usage', of: 'project', rows: byNumber },
  { name: 'quota_warnings', of: 'project', rows: byNumber },
  {
    name: 'projects',
    of: 'project',
    rows: (scope) => `id = any(${idsOf(scope)})`,
    names: ['name', 'short_name'],
  },
  { name: 'tracking_hits', of: 'organization', rows: ofCampaigns },
  {
    name: 'delivery_blocks',
    of: 'organization',
    rows: ofCampaigns,
    notExported: internal,
  },
  { name: 'deliveries', of: 'organization', rows: ofCampaigns },
  { name: 'campaign_links', of: 'organization', rows: ofCampaigns },
  { name: 'campaign_counts', of: 'organization', rows: ofCampaigns },
  { name: 'campaigns', of: 'organization', rows: byOrganization, names: ['archive_slug'] },
  { name: 'contact_events', of: 'organization', rows: ofContacts },
  { name: 'confirm_tokens', of: 'organization', rows: ofContacts, notExported: secret },
  { name: 'data_requests', of: 'organization', rows: ofAddresses, notExported: secret },
  {
    name: 'contact_import_chunks',
    of: 'organization',
    rows: ofImports,
    notExported: 'It holds uploaded files until they are imported.',
  },
  { name: 'contact_imports', of: 'organization', rows: byOrganization },
  { name: 'bounce_reports', of: 'organization', rows: byOrganization },
  { name: 'sends', of: 'organization', rows: byOrganization, secrets: ['sealed_body'] },
  { name: 'contacts', of: 'organization', rows: byOrganization },
  { name: 'addresses', of: 'organization', rows: byOrganization },
  { name: 'erased_opt_outs', of: 'organization', rows: byOrganization, names: ['email_hash'] },
  { name: 'blocked_domains', of: 'organization', rows: byOrganization, names: ['domain'] },
  {
    name: 'idempotency_keys',
    isScanned: true,
    of: 'organization',
    rows: byOrganization,
    notExported: 'It holds replies of the last day, for clients that repeat a request.',
  },
  {
    name: 'bounce_adapters',
    of: 'organization',
    rows: byOrganization,
    secrets: ['secret_hash', 'sealed_settings'],
    names: ['label'],
  },
  {
    name: 'sending_domains',
    of: 'organization',
    rows: byOrganization,
    secrets: ['sealed_key', 'proof_token'],
    names: ['domain', 'selector', 'bounce_domain', 'public_key', 'proof_token'],
  },
  { name: 'allowed_from_domains', of: 'organization', rows: byOrganization, names: ['domain'] },
  {
    name: 'newsletters',
    of: 'organization',
    rows: byOrganization,
    names: ['slug', 'name', 'from_address', 'reply_to', 'from_name', 'archive_path'],
  },
  {
    name: 'access_tokens',
    of: 'organization',
    rows: byOrganization,
    secrets: ['token_hash'],
    names: ['label', 'prefix'],
  },
  {
    name: 'api_keys',
    of: 'organization',
    rows: byOrganization,
    secrets: ['key_hash'],
    names: ['label', 'prefix'],
  },
  {
    name: 'logins',
    isScanned: true,
    of: 'organization',
    rows: byOrganization,
    secrets: ['token_hash', 'csrf_token'],
    names: ['csrf_token'],
  },
  { name: 'webhooks', of: 'organization', rows: byOrganization, names: ['label', 'events'] },
  { name: 'team_members', of: 'organization', rows: ofTeams },
  { name: 'teams', of: 'organization', rows: byOrganization, names: ['slug', 'name'] },
  { name: 'audit_log', of: 'organization', rows: byOrganization },
  { name: 'memberships', of: 'organization', rows: byOrganization, names: ['role'] },
  {
    name: 'organizations',
    of: 'organization',
    rows: (scope) => `id = ${organizationOf(scope)}`,
    names: ['name'],
  },
]

/**
 * Tables of people who can log in. A person may belong to several organizations; those who belong
 * to no other one are deleted with their organization.
 */
export const peopleTables = ['people', 'person_links', 'login_networks'] as const

/** Tables of the installation, which hold nothing of one organization, each with its contents. */
export const installationTables: Readonly<Record<string, string>> = {
  attachment_removals: 'objects that the sweep removes',
  attachment_sweeps: 'days whose objects were swept',
  backup_holds: 'backups that are running',
  backups: 'the list of backups',
  deleted_projects: 'numbers of deleted projects',
  deletions: 'receipts',
  frame_progress: 'positions of the pipeline',
  ingest_boots: 'instances of ingest',
  installation: 'the id of the installation',
  mail_transports: 'rate limits of SMTP transports',
  migrations: 'applied migrations',
  partition_cursors: 'positions of the pipeline',
  rate_windows: 'times of the last attempts, which expire within hours',
  sweep_positions: 'positions of housekeeping jobs',
  workers: 'worker processes',
}
