/** Policies of the tables that events, sessions and monitors fill. */
import { byJob, byRows, type Policies, walk } from './policy.ts'

export const issuePolicies = {
  issues: byJob('expire_issues', {
    age: { setting: 'issues', ofProject: true },
    from: 'last_seen',
    except:
      'issues of which an event is stored; issues that somebody changed since; ignored issues, which stay for `RETENTION_IGNORED_ISSUE_DAYS`: without its hashes an ignored error would come back as a new issue. Merged issues go with the issue that has their hashes',
    why: 'A year after its last event nobody remembers the error; it counts as new when it returns. Short ids are never used again.',
  }),
  issue_numbers: { kind: 'key', why: 'One row for each project. Keeps short ids unique.' },
  issue_hashes: byJob('expire_hashes', {
    age: { setting: 'issues', ofProject: true },
    from: 'last_seen of its sum, else created_at',
    except:
      'hashes of which an event is stored; the newest hash of its issue and of each issue that was merged into it; hashes of ignored issues, which stay for `RETENTION_IGNORED_ISSUE_DAYS`',
    why: 'Goes with its issue. An issue that collects the errors of a burst lives on and gets a hash for each of them, so unseen hashes go earlier.',
  }),
  hash_sums: byJob('expire_hashes', {
    age: { setting: 'issues', ofProject: true },
    from: 'last_seen',
    except: 'as `issue_hashes`',
    why: 'Goes with its hash. Its counts are added to the newest hash of the issue, so the counts of the issue stay.',
  }),
  issue_activity: byRows({
    age: { setting: 'audit' },
    from: 'at',
    search: walk({ id: 'bigint' }),
    why: 'Goes with its issue; says who did what, so it is kept as long as the audit log.',
  }),
  issue_bookmarks: {
    kind: 'parent',
    parent: 'issues',
    why: 'At most one for each person and issue; goes with either.',
  },
  issue_links: {
    kind: 'parent',
    parent: 'issues',
    why: 'Made by people, at most 20 for each issue.',
  },
  issue_ignored_users: {
    kind: 'parent',
    parent: 'issues',
    why: 'Deleted when the issue is no longer ignored. Hashes of the users it is ignored for.',
  },
  issue_forecasts: {
    kind: 'parent',
    parent: 'issues',
    why: 'At most one row for each issue, made again from its events.',
  },
  issue_deletions: byRows({
    age: { setting: 'outcomes' },
    from: 'finished_at',
    search: walk({ id: 'bigint' }),
    except: 'deletions whose events are still being deleted',
    why: 'Explains the difference between the accepted events and the counts of the issues, so it is kept as long as the outcomes.',
  }),
  issue_resolutions: {
    kind: 'work',
    why: 'Deleted when the issue is resolved, or after a day (`outbox`).',
  },
  new_issue_counts: byRows({
    age: { days: 7 },
    from: 'hour',
    search: { by: 'owner', owner: 'projects' },
    why: 'Limits new issues of an hour. A week covers events that were in the stream for long.',
  }),
  releases: byRows({
    age: { setting: 'issues', ofProject: true },
    from: 'last_heard_at',
    search: { by: 'owner', owner: 'projects' },
    why: 'A release that no event and no session names for a year is not in use.',
  }),
  release_commits: { kind: 'kept', why: 'Go with their release.' },
  release_deploys: { kind: 'kept', why: 'Go with their release, which keeps its newest 200.' },
  release_health_counts: byJob('expire_session_sums', {
    age: { setting: 'events', ofProject: true },
    from: 'hour',
    why: 'As the sessions in ClickHouse.',
  }),
  stale_session_days: {
    kind: 'work',
    why: 'Deleted when the sums of the day have been made again.',
  },
  event_attachments: byRows({
    age: { days: 0 },
    from: 'expires_at',
    search: { by: 'column' },
    why: 'As the event: the time is stored with each row, so a change does not affect stored ones.',
  }),
  attachment_removals: {
    kind: 'work',
    why: 'Deleted when the object is removed from the object store.',
  },
  attachment_sweeps: {
    kind: 'work',
    why: 'One row for each day; deleted 30 days after the day was swept.',
  },
  attachment_usage: byRows({
    age: { days: 7 },
    from: 'day',
    search: { by: 'column' },
    why: 'Limits the bytes of a day.',
  }),
  feedback: { kind: 'kept', why: 'Written by users for the team, which deletes it.' },

  monitors: { kind: 'kept', why: 'Made by people and by check-ins; deleted by people.' },
  monitor_environments: {
    kind: 'parent',
    parent: 'monitors',
    why: 'At most 50 for each monitor.',
  },
  monitor_runs: byRows({
    job: 'expire_monitor_runs',
    age: { setting: 'events' },
    from: 'at',
    search: { by: 'column' },
    only: `row.status <> 'running'`,
    except: 'runs that have not ended',
    why: 'As events.',
  }),
  outbox_events: { kind: 'work', why: 'Deleted by the commit that digests the event.' },

  partition_cursors: { kind: 'key', why: 'One row for each partition.' },
  workers: { kind: 'work', why: 'Deleted when a process ends, or an hour after it was last seen.' },
  item_ids: {
    kind: 'work',
    why: 'Commits of the partition delete ids that are older than the deduplication window in the time of the stream, which may be far behind the clock.',
  },
  frame_progress: byJob('settle_silent_instances', {
    age: { days: 90 },
    from: 'updated_at',
    why: 'A write-ahead log may be found again. A week is enough once the log is known to be empty.',
  }),
  ingest_boots: byJob('settle_silent_instances', {
    age: { days: 90 },
    from: 'seen_at',
    except: 'processes whose leases are not settled',
    why: 'As `frame_progress`.',
  }),
  dead_letters: byJob('expire_dead_letters', {
    age: { setting: 'events', ofProject: true },
    from: 'created_at',
    except: 'dead letters that are being retried',
    why: 'They hold events.',
  }),
  outcome_corrections: { kind: 'work', why: 'Deleted when ClickHouse has them.' },

  quota_usage: byRows({
    age: { setting: 'outcomes' },
    from: 'period',
    search: { by: 'owner', owner: 'projects' },
    why: 'One row for each project and month; as long as the outcomes that explain it.',
  }),
  quota_warnings: byRows({
    age: { setting: 'outcomes' },
    from: 'period',
    search: { by: 'owner', owner: 'projects' },
    why: 'Three rows for each project and month.',
  }),
  quota_leases: { kind: 'work', why: 'Ingest deletes leases whose records have all been counted.' },
  quota_minutes: { kind: 'work', why: 'Ingest deletes minutes that are over.' },
} as const satisfies Policies
