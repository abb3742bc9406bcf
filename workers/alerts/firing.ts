import type { ProjectId } from '#schemas/ids.ts'
import type { AlertCondition } from '#schemas/rest/alerts/condition.ts'

/** A rule that fires because of an issue, before cooldown and repetition are checked. */
export interface IssueFiring {
  readonly ruleId: string
  readonly projectId: ProjectId
  /** Null: stands for further firings, `data.more` of them. */
  readonly issueId: string | null
  readonly type: AlertCondition['type']
  /** 32 lowercase hex digits. */
  readonly eventId: string | null
  readonly reason: string
  readonly data: FiringData
  /** The same for every attempt at the same cause. */
  readonly cause: string
  readonly atMs: number
}

/** `alert_firings.data` */
export interface FiringData {
  readonly event?: { readonly release: string | null; readonly environment: string | null }
  readonly numbers?: Readonly<Record<string, number | string>>
  readonly monitor?: { readonly id: string; readonly slug: string; readonly environment: string }
  readonly idea?: { readonly id: string; readonly title: string; readonly status: string }
  readonly feedback?: { readonly id: string; readonly message: string }
  /** Firings that have no row of their own. */
  readonly more?: number
}
