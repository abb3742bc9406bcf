/** The comparison of two releases. */
import { type Read, useRead } from '../../../http/use-read.ts'

export interface ComparedIssue {
  readonly id: string
  readonly short_id: string
  readonly title: string
  readonly culprit: string
  readonly level: string
  readonly status: string
  readonly base_events: number
  readonly head_events: number
  /** How much more frequent it is in the head; null if it is in one only. */
  readonly factor: number | null
}

export interface ComparedIssues {
  readonly count: number
  readonly items: readonly ComparedIssue[]
}

export interface ComparedRelease {
  readonly version: string
  readonly events: number
  readonly issues: number
  readonly health: {
    readonly sessions: number
    readonly users: number
    readonly crashed: number
    readonly adoption: number | null
    readonly crash_free_sessions: number | null
    readonly crash_free_users: number | null
  }
}

export interface ReleaseComparison {
  readonly base: ComparedRelease
  readonly head: ComparedRelease
  readonly scale: 'sessions' | 'hours'
  readonly new_issues: ComparedIssues
  readonly absent_issues: ComparedIssues
  readonly more_frequent: ComparedIssues
  readonly crash_free_sessions_difference: number | null
  readonly crash_free_users_difference: number | null
  readonly truncated: boolean
}

export function useComparison(
  params: { readonly project_id: string; readonly release: string },
  query: {
    readonly base: string
    readonly since: string
    readonly environment: string | undefined
  },
): Read<ReleaseComparison> {
  return useRead(
    'GET /api/v1/projects/{project_id}/releases/{release}/compare' as never,
    { params, query } as never,
    { topics: ['releases', 'issues'], keepPrevious: true },
  ) as Read<ReleaseComparison>
}
