import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

export interface MailMetrics {
  readonly registry: Registry
  readonly emails: Counter<'kind' | 'end'>
  readonly uncertain: Counter
  readonly requeued: Counter
}

export function createMailMetrics(now: {
  linesOpen: () => number
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
  gauge('mail_lines_open', 'Connections to the mail server.', now.linesOpen)
  gauge('mail_letters_on_wire', 'Letters being handed over now.', now.emailsOnWire)
  return {
    registry,
    emails: new Counter({
      name: 'mail_letters_total',
      help: 'Attempts at letters, by how they ended.',
      labelNames: ['kind', 'end'],
      registers,
    }),
    uncertain: new Counter({
      name: 'mail_recovered_uncertain_total',
      help: 'Letters of lost processes that may have arrived.',
      registers,
    }),
    requeued: new Counter({
      name: 'mail_recovered_requeued_total',
      help: 'Letters of lost processes that were not handed over.',
      registers,
    }),
  }
}
