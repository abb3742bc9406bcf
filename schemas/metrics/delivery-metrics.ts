import type { MetricDefinitions } from './metric-definition.ts'

/**
 * Metrics of a worker process about notifications. The gauges are reported only by the owner of the
 * first partition.
 */
export const deliveryMetrics = {
  attempts: {
    name: 'workers_delivery_attempts_total',
    type: 'counter',
    help: 'Attempts to deliver a notification, by type of the target and result: delivered, retry, or failed, after which it is not retried. Many failed ones of one type mean that its service refuses or cannot be reached.',
    labels: ['type', 'end'],
  },
  pending: {
    name: 'workers_deliveries_pending',
    type: 'gauge',
    help: 'Notifications that are not delivered yet, including those that wait for a retry; counted up to 100,000. The process that owns the first partition reports it.',
    labels: [],
  },
  lateSeconds: {
    name: 'workers_delivery_late_seconds',
    type: 'gauge',
    help: 'Seconds since the oldest notification that may be sent was due; 0 when none waits. Targets whose circuit breaker is open do not count, so a high value means that workers do not send. The process that owns the first partition reports it.',
    labels: [],
  },
  targetsOpen: {
    name: 'workers_delivery_targets_open',
    type: 'gauge',
    help: 'Notification targets that nothing is sent to for a while, because attempts failed in a row or the receiver asked for a pause. The process that owns the first partition reports it.',
    labels: [],
  },
  targetsDisabled: {
    name: 'workers_delivery_targets_disabled',
    type: 'gauge',
    help: 'Notification targets that are disabled, by their receiver or by a person, until a person enables them. The process that owns the first partition reports it.',
    labels: [],
  },
} as const satisfies MetricDefinitions
