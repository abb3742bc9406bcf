import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

export interface MailMetrics {
  readonly registry: Registry
  readonly emails: Counter<'kind' | 'end'>
  readonly uncertain: Counter
  readonly requeued: Counter
}

export function createMailMetrics(now: {
  connectionsOpen: () => number
  emailsOnWire: () => number
}): MailMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge('mail_lines_open', 'Open SMTP connections to the mail server.', now.connectionsOpen)
  gauge(
    'mail_letters_on_wire',
    'Emails being transferred to the mail server now.',
    now.emailsOnWire,
  )
  return {
    registry,
    emails: new Counter({
      name: 'mail_letters_total',
      help: 'Attempts to send an email, by kind and result.',
      labelNames: ['kind', 'end'],
      registers,
    }),
    uncertain: new Counter({
      name: 'mail_recovered_uncertain_total',
      help: 'Emails of lost processes that may have been delivered.',
      registers,
    }),
    requeued: new Counter({
      name: 'mail_recovered_requeued_total',
      help: 'Emails of lost processes that had not been transferred and were queued again.',
      registers,
    }),
  }
}
