/** Why an event is refused: the limit that was met, in the terms of the rate-limit header. */
import type { MinuteScope } from './quota-store.ts'

export interface Refusal {
  /** Scope in the rate-limit header. */
  readonly scope: MinuteScope
  readonly reason: 'quota_exceeded' | 'spike_limit' | 'key_limit' | 'quota_unavailable'
  /** Reason of the `over_quota` outcome; empty when the monthly limit is met. */
  readonly outcomeReason: string
  readonly detail: string
}

/** Constants, so that refusing a burst of events costs no more than accepting it. */
export const overQuota: Refusal = {
  scope: 'project',
  reason: 'quota_exceeded',
  outcomeReason: '',
  detail: 'project is over its event quota',
}
export const overSpikeLimit: Refusal = {
  scope: 'project',
  reason: 'spike_limit',
  outcomeReason: 'spike_limit',
  detail: 'project is over its events per minute',
}
export const overKeyLimit: Refusal = {
  scope: 'key',
  reason: 'key_limit',
  outcomeReason: 'key_limit',
  detail: 'the DSN key is over its events per minute',
}
/** Postgres is unavailable and the allowance is used up. */
export const quotaUnavailable: Refusal = {
  scope: 'project',
  reason: 'quota_unavailable',
  outcomeReason: 'quota_unavailable',
  detail: 'the quota cannot be checked now',
}
