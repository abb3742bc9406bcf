/** The names of the channels to which notifications are delivered. */
export const channelLabels = {
  email: 'Email',
  webhook: 'Webhook',
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  telegram: 'Telegram',
  ntfy: 'ntfy',
  pagerduty: 'PagerDuty',
  opsgenie: 'Opsgenie',
} as const
