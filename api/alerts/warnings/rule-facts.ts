/** What is known about a project when the warnings of its rules are decided. */
export interface ProjectFacts {
  /** Values of events of the last 30 days. Undefined: unknown, or too many to compare. */
  readonly seen: {
    readonly environment: ReadonlySet<string> | undefined
    readonly level: ReadonlySet<string> | undefined
    readonly component: ReadonlySet<string> | undefined
    readonly release: ReadonlySet<string> | undefined
  }
  /** Tags of the rules that no event has, with the names that may be meant. */
  readonly unknownTags: ReadonlyMap<string, readonly string[]>
  /** A project without events has nothing to compare with. */
  readonly hasEvents: boolean
  readonly hasMonitors: boolean
  /** Undefined: unknown. */
  readonly hasSessions: boolean | undefined
  readonly hasQuota: boolean
  /** Undefined: the project uses the default. */
  readonly retentionDays: number | undefined
  /** What is wrong with a recipient, by its text. */
  readonly recipientProblems: ReadonlyMap<string, string>
}

export const seenDays = 30
