import type { MetricDefinitions } from './metric-definition.ts'

/** Metrics of a worker process about alert rules. */
export const alertMetrics = {
  rulesFired: {
    name: 'workers_alert_rules_fired_total',
    type: 'counter',
    help: 'Alert rules that fired in the commit of a range. A rule that fires about many issues of one range counts once.',
    labels: [],
  },
  notifications: {
    name: 'workers_notifications_total',
    type: 'counter',
    help: 'Notifications of alert rules, each with one delivery for every target of its rule.',
    labels: [],
  },
  eventsSkipped: {
    name: 'workers_alert_events_skipped_total',
    type: 'counter',
    help: 'Stored events that no alert rule was evaluated for, because the rules of their project take too much time. Any increase means that a project has very many or very long conditions.',
    labels: [],
  },
} as const satisfies MetricDefinitions
