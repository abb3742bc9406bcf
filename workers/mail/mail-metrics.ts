import type { Registry } from 'prom-client'
import { counter, createRegistry, gauge } from '#platform/metrics/create-metric.ts'
import type {
  LabelledCounter,
  LabelledGauge,
  PlainCounter,
} from '#platform/metrics/metric-types.ts'
import { mailerMetrics } from '#schemas/metrics/mailer-metrics.ts'

export interface MailMetrics {
  readonly registry: Registry
  readonly emails: LabelledCounter<'kind' | 'end'>
  readonly uncertain: PlainCounter
  readonly requeued: PlainCounter
  readonly emailsWaiting: LabelledGauge<'lane'>
  readonly oldestEmail: LabelledGauge<'lane'>
}

export function createMailMetrics(now: {
  connectionsOpen: () => number
  emailsOnWire: () => number
  isSmtpAway: () => boolean
}): MailMetrics {
  const registry = createRegistry()
  gauge(registry, mailerMetrics.connectionsOpen, (open) => open.set(now.connectionsOpen()))
  gauge(registry, mailerMetrics.emailsOnWire, (onWire) => onWire.set(now.emailsOnWire()))
  gauge(registry, mailerMetrics.smtpAway, (away) => away.set(now.isSmtpAway() ? 1 : 0))
  return {
    registry,
    emails: counter(registry, mailerMetrics.emails),
    uncertain: counter(registry, mailerMetrics.uncertain),
    requeued: counter(registry, mailerMetrics.requeued),
    emailsWaiting: gauge(registry, mailerMetrics.emailsWaiting),
    oldestEmail: gauge(registry, mailerMetrics.oldestEmail),
  }
}
