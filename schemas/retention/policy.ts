/**
 * What a table's rows are kept for. Every table of both databases has exactly one policy
 * (postgres-policies.ts, clickhouse-policies.ts): a test compares the lists with the migrated
 * databases, so a table without a policy fails the build. The page docs/operations/retention.md and
 * the job that deletes rows are made from the same lists.
 */

/** Days that the operator chose, by what they are for. Names of the variables: see below. */
export interface RetentionDays {
  /** Events and what is counted from them. A project may choose its own number. */
  readonly events: number
  readonly issues: number
  readonly ignoredIssues: number
  readonly outcomes: number
  readonly audit: number
  readonly emailEvents: number
}

export type RetentionSetting = keyof RetentionDays

/** The environment variable of each setting, its default and its bounds (platform/env.ts). */
export const retentionVariables = {
  events: { name: 'RETENTION_DAYS', days: 90, min: 1 },
  issues: { name: 'RETENTION_ISSUE_DAYS', days: 365, min: 30 },
  ignoredIssues: { name: 'RETENTION_IGNORED_ISSUE_DAYS', days: 1825, min: 30 },
  // At least two months: the quota of this month and the last one is still needed.
  outcomes: { name: 'RETENTION_OUTCOMES_DAYS', days: 400, min: 62 },
  audit: { name: 'RETENTION_AUDIT_DAYS', days: 730, min: 30 },
  // At least as long as the emails themselves are kept.
  emailEvents: { name: 'RETENTION_EMAIL_EVENTS_DAYS', days: 400, min: 90 },
} as const satisfies Record<RetentionSetting, { name: string; days: number; min: number }>

export const retentionDaysMax = 3_650

/** How long a row is kept, counted from its `from` column. */
export type Age =
  | {
      readonly setting: Exclude<RetentionSetting, 'issues' | 'ignoredIssues'>
      readonly ofProject?: never
    }
  /** `retention_days` of the project, else RETENTION_DAYS. */
  | { readonly setting: 'events'; readonly ofProject: true }
  /** As long as the events of the project may be kept, if that is longer than the setting. */
  | { readonly setting: 'issues'; readonly ofProject: true }
  /** A number that no operator has a reason to change. */
  | { readonly days: number }

/** The days of a policy that follows no project. */
export function daysOf(age: Age, days: RetentionDays): number {
  return 'days' in age ? age.days : days[age.setting]
}

/** How the job finds expired rows of a table without reading the whole table. */
export type Search =
  /** An index begins with the column. */
  | { readonly by: 'column' }
  /** An index begins with the owner and then has the column: each owner is searched. */
  | { readonly by: 'owner'; readonly owner: 'projects' | 'organizations' }
  /**
   * The primary key is walked from where the last run stopped, a bounded number of rows at a time.
   * Needs no index of its own, so that writers pay nothing, and rows that stay forever do not stand
   * in the way.
   */
  | { readonly by: 'walk'; readonly key: Readonly<Record<string, KeyType>> }

export type KeyType = 'uuid' | 'bigint' | 'bytea' | 'text' | 'timestamptz'

/** Rows that the table-driven job deletes (workers/retention/expired-row-store.ts). */
export interface RowExpiry {
  readonly kind: 'expires'
  readonly by: 'rows'
  /** Default: `expire_rows`, which deletes the rows of all tables without a job of their own. */
  readonly job?: string
  readonly age: Age
  /** The column with the time from which the age counts. */
  readonly from: string
  readonly search: Search
  /** SQL on `row`: rows for which it is false stay. */
  readonly only?: string
  /** The same in words, for people. */
  readonly except?: string
  readonly why: string
}

/** Rows that a job of their own deletes, because more than one table changes with them. */
export interface JobExpiry {
  readonly kind: 'expires'
  readonly by: 'job'
  /** The cron job or periodic task that deletes them. */
  readonly job: string
  readonly age: Age | { readonly setting: RetentionSetting; readonly ofProject?: true }
  readonly from: string
  readonly except?: string
  readonly why: string
}

export type Policy =
  | RowExpiry
  | JobExpiry
  /** ClickHouse deletes the rows itself (`ttl`). */
  | {
      readonly kind: 'expires'
      readonly by: 'ttl'
      readonly age: Age
      readonly from: string
      readonly why: string
    }
  /** Made by a person, kept until a person deletes it or the organization or project goes. */
  | { readonly kind: 'kept'; readonly why: string }
  /** Goes with its parent; `why` says how many rows a parent can have. */
  | { readonly kind: 'parent'; readonly parent: string; readonly why: string }
  /** One row for each key, and there are few keys. */
  | { readonly kind: 'key'; readonly why: string }
  /** Waits for work that deletes it. */
  | { readonly kind: 'work'; readonly why: string }

export type Policies = Readonly<Record<string, Policy>>
