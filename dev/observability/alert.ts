/** One alert of Prometheus. Its runbook is `docs/runbooks/<name>.md`. */
export interface Alert {
  readonly name: string
  readonly severity: 'critical' | 'warning'
  /** PromQL. Metrics are named by `named`, so that a misspelt one is a compile error. */
  readonly expression: string
  /** How long the expression must hold, so that a restart or one slow minute is no alert. */
  readonly holds: string
  /** One line, without values. */
  readonly summary: string
  /** What it means now, with values: a template of Prometheus. */
  readonly description: string
}

export interface AlertGroup {
  readonly name: string
  readonly alerts: readonly Alert[]
}
