/** Policies of the tables of alert rules, webhooks and their deliveries. */
import type { Policies } from './policy.ts'

export const alertPolicies = {
  alert_rules: { kind: 'kept', why: 'Made by people, at most 100 for each project.' },
  webhooks: { kind: 'kept', why: 'Made by people, at most 20 for each organization.' },
  notification_targets: {
    kind: 'kept',
    why: 'At most ten for each rule and one for each webhook, with which they are deleted.',
  },
  alert_counts: {
    kind: 'expires',
    by: 'rows',
    age: { days: 15 },
    from: 'minute',
    search: {
      by: 'walk',
      key: { rule_id: 'uuid', issue_id: 'uuid', step_seconds: 'bigint', minute: 'timestamptz' },
    },
    why: 'A threshold looks back two windows of at most 7 days.',
  },
  alert_users: {
    kind: 'expires',
    by: 'rows',
    age: { days: 15 },
    from: 'seen_at',
    search: {
      by: 'walk',
      key: { rule_id: 'uuid', issue_id: 'uuid', period: 'timestamptz', user_hash: 'bigint' },
    },
    why: 'A threshold looks back two windows of at most 7 days.',
  },
  alert_subjects: {
    kind: 'expires',
    by: 'rows',
    age: { days: 90 },
    from: 'fired_at',
    search: { by: 'walk', key: { rule_id: 'uuid', subject: 'text' } },
    only: 'not row.is_over',
    except: 'subjects whose threshold is still passed',
    why: 'A cooldown lasts at most 30 days; rules watch releases that are at most 90 days old.',
  },
  alert_firings: {
    kind: 'expires',
    by: 'rows',
    age: { days: 90 },
    from: 'at',
    search: { by: 'column' },
    why: 'Shows what a rule fired about; also those that a mute or a deleted job left waiting.',
  },
  notification_deliveries: {
    kind: 'expires',
    by: 'rows',
    age: { days: 30 },
    from: 'created_at',
    search: { by: 'column' },
    only: `row.state <> 'pending'`,
    except: 'deliveries that are still tried',
    why: 'The delivery log, from which a delivery can be replayed. Payloads may hold personal data.',
  },
  alert_stops: {
    kind: 'kept',
    why: 'One row for each person who wants no emails of a rule or about an issue.',
  },
} as const satisfies Policies
