/** A project of a simulated world and its limits. */
export interface ProjectPlan {
  readonly projectId: number
  readonly keyNo: number
  readonly publicKey: string
  /** Monthly limit in events. */
  readonly limit: number | undefined
  readonly eventsPerMinute: number | undefined
  readonly keyEventsPerMinute: number | undefined
  readonly issueEventsPerMinute: number | undefined
}
