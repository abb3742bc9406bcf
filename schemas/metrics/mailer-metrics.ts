import type { MetricDefinitions } from './metric-definition.ts'

/** Metrics of a mail process. */
export const mailerMetrics = {
  connectionsOpen: {
    name: 'mail_lines_open',
    type: 'gauge',
    help: 'Open SMTP connections to the mail server.',
    labels: [],
  },
  emailsOnWire: {
    name: 'mail_letters_on_wire',
    type: 'gauge',
    help: 'Emails being transferred to the mail server now.',
    labels: [],
  },
  emails: {
    name: 'mail_letters_total',
    type: 'counter',
    help: 'Attempts to send an email, by kind and result.',
    labels: ['kind', 'end'],
  },
  uncertain: {
    name: 'mail_recovered_uncertain_total',
    type: 'counter',
    help: 'Emails of ended processes that may have been delivered. Nobody sends them again but a person.',
    labels: [],
  },
  requeued: {
    name: 'mail_recovered_requeued_total',
    type: 'counter',
    help: 'Emails of ended processes that had not been transferred and were queued again.',
    labels: [],
  },
  emailsWaiting: {
    name: 'mailer_emails_waiting',
    type: 'gauge',
    help: 'Emails that are due and not sent, by lane; counted up to 100,000 for each lane. One mail process reports it for all.',
    labels: ['lane'],
  },
  oldestEmail: {
    name: 'mailer_oldest_email_seconds',
    type: 'gauge',
    help: 'Seconds since the oldest email of a lane that is not sent should have been sent first; 0 when none waits. Paused campaigns do not count. One mail process reports it for all.',
    labels: ['lane'],
  },
  smtpAway: {
    name: 'mailer_smtp_away',
    type: 'gauge',
    help: '1 after an attempt to open an SMTP connection failed, until one succeeds. Emails wait meanwhile.',
    labels: [],
  },
} as const satisfies MetricDefinitions
