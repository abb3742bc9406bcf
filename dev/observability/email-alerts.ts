/** Alerts about emails, jobs and notifications. */
import { deliveryMetrics } from '#schemas/metrics/delivery-metrics.ts'
import { mailerMetrics } from '#schemas/metrics/mailer-metrics.ts'
import { upkeepMetrics } from '#schemas/metrics/upkeep-metrics.ts'
import type { AlertGroup } from './alert.ts'

const attempts = mailerMetrics.emails.name

export const emailAlerts: AlertGroup = {
  name: 'sluice-emails',
  alerts: [
    {
      name: 'EmailOldest',
      severity: 'critical',
      expression: `max by (lane) (${mailerMetrics.oldestEmail.name}{lane=~"urgent|notifications"}) > 900`,
      holds: '1m',
      summary: 'Emails wait for more than 15 minutes.',
      description:
        'The oldest email of the lane {{ $labels.lane }} has waited {{ $value | humanizeDuration }}.',
    },
    {
      name: 'SmtpAway',
      severity: 'critical',
      expression: `max by (instance) (${mailerMetrics.smtpAway.name}) == 1`,
      holds: '5m',
      summary: 'The mail server cannot be reached. Emails wait.',
      description: 'The mailer {{ $labels.instance }} cannot open an SMTP connection.',
    },
    {
      name: 'EmailsDeferred',
      severity: 'warning',
      expression: `sum(increase(${attempts}{end="queued"}[15m])) > 0.5 * sum(increase(${attempts}[15m])) and sum(increase(${attempts}[15m])) > 10`,
      holds: '5m',
      summary: 'The mail server defers most emails.',
      description: '{{ $value | printf "%.0f" }} attempts were deferred within 15 minutes.',
    },
    {
      name: 'JobsFailed',
      severity: 'warning',
      expression: `max by (task) (${upkeepMetrics.jobsFailed.name}) > 0`,
      holds: '5m',
      summary: 'Jobs failed on every attempt and are not retried any more.',
      description: '{{ $value | printf "%.0f" }} jobs of the task {{ $labels.task }} failed.',
    },
    {
      name: 'NotificationsFailing',
      severity: 'warning',
      expression: `max(${deliveryMetrics.lateSeconds.name}) > 600 or sum(increase(${deliveryMetrics.attempts.name}{end="failed"}[1h])) > 20`,
      holds: '5m',
      summary: 'Notifications wait for more than 10 minutes, or many were given up.',
      description:
        'Either the oldest notification that may be sent is that many seconds late, or that many were given up within an hour: {{ $value | printf "%.0f" }}.',
    },
  ],
}
