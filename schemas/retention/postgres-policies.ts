/** The policy of each table in Postgres. `migrations` is made by the program that migrates. */
import { alertPolicies } from './alert-policies.ts'
import { emailPolicies } from './email-policies.ts'
import { issuePolicies } from './issue-policies.ts'
import { byJob, byRows, type Policies, walk } from './policy.ts'
import { portalPolicies } from './portal-policies.ts'

export const postgresPolicies: Policies = {
  migrations: { kind: 'key', why: 'One row for each migration.' },
  installation: { kind: 'key', why: 'One row.' },
  backup_holds: {
    kind: 'key',
    why: 'One row for each backup that is running; it passes by itself within seconds.',
  },
  backups: byRows({
    age: { days: 400 },
    from: 'started_at',
    search: walk({ id: 'text' }),
    why: 'The list of what was backed up when. The backups themselves stay in their place.',
  }),
  deletions: {
    kind: 'kept',
    why: 'Receipts of deletions. A finished one holds no personal data.',
  },
  deleted_projects: {
    kind: 'key',
    why: 'One row for each deleted project, so that no number is given twice.',
  },
  sweep_positions: { kind: 'key', why: 'One row for each table that a housekeeping job walks.' },

  organizations: { kind: 'kept', why: 'Made by the operator.' },
  people: { kind: 'kept', why: 'Invited by people; deleted when their last membership ends.' },
  memberships: { kind: 'kept', why: 'One row for each person in an organization.' },
  teams: { kind: 'kept', why: 'Made by people.' },
  team_members: { kind: 'parent', parent: 'teams', why: 'One row for each person in a team.' },
  projects: { kind: 'kept', why: 'Made by people.' },
  dsn_keys: { kind: 'kept', why: 'Made by people.' },
  project_tag_keys: {
    kind: 'key',
    why: 'Names of tags that people have searched for, at most 2,000 for each project.',
  },
  saved_views: {
    kind: 'kept',
    why: 'Made by people, at most 100 shared ones for each project and 100 for each person there.',
  },
  access_tokens: { kind: 'kept', why: 'Made by people; a revoked one is deleted.' },
  api_keys: { kind: 'kept', why: 'Made by people; a revoked one is deleted.' },
  logins: byRows({
    age: { days: 0 },
    from: 'expires_at',
    search: walk({ id: 'uuid' }),
    why: 'An expired login opens nothing. A log-in also deletes the oldest ones of its person.',
  }),
  person_links: byRows({
    age: { days: 30 },
    from: 'expires_at',
    search: walk({ token_hash: 'bytea' }),
    why: 'For a month the page can say that the link has expired, instead of that it is unknown.',
  }),
  login_networks: byRows({
    age: { days: 180 },
    from: 'last_login_at',
    search: walk({ person_id: 'uuid', network: 'text' }),
    why: 'Log-ins ignore older ones. At most 50 for each person.',
  }),
  audit_log: byRows({
    age: { setting: 'audit' },
    from: 'at',
    search: { by: 'owner', owner: 'organizations' },
    why: 'Two years cover an audit of the last full year and the time to investigate an incident. It holds addresses of people, so it must not stay forever.',
  }),
  rate_windows: byJob('expire_contacts', {
    age: { days: 0 },
    from: 'expires_at',
    why: 'A window that is over limits nothing.',
  }),
  idempotency_keys: byRows({
    age: { days: 1 },
    from: 'created_at',
    search: { by: 'column' },
    why: 'A repeated request is answered from here for 24 hours; requests delete older rows, too.',
  }),

  ...issuePolicies,
  ...alertPolicies,
  ...emailPolicies,
  ...portalPolicies,

  /** Failed jobs of graphile-worker, whose other jobs are deleted when they succeed. */
  'graphile_worker._private_jobs': byRows({
    age: { days: 30 },
    from: 'updated_at',
    search: walk({ id: 'bigint' }),
    only: 'row.attempts >= row.max_attempts and row.locked_at is null',
    except: 'jobs that may still be tried',
    why: 'A month to look at a job that failed 25 times.',
  }),
}
