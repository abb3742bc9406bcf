/** Why an event is not taken: which limit was met, in the words of the rate-limit header. */
import type { MinuteScope } from './quota-store.ts'

export interface Refusal {
  /** As in the header. */
  readonly scope: MinuteScope
  readonly reason: 'quota_exceeded' | 'spike_limit' | 'key_limit' | 'quota_unavailable'
  /** Of the outcome `over_quota`, which says it all when the month's limit is met. */
  readonly outcomeReason: string
  readonly detail: string
}

/** Made once: a flood that is refused must not cost more than one that is taken. */
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
/** Postgres is away and the allowance for that is spent. */
export const quotaUnavailable: Refusal = {
  scope: 'project',
  reason: 'quota_unavailable',
  outcomeReason: 'quota_unavailable',
  detail: 'the quota cannot be checked now',
}
