/**
 * `node monitors-sdk.mjs <package> <scenario> <dsn>`: check-ins of a recurring job, sent with a
 * Node SDK.
 */
import { Report } from './report.mjs'

const [packageName, scenario, dsn] = process.argv.slice(2)
const Sentry = await import(packageName)
const report = new Report()

Sentry.init({
  dsn,
  release: 'jobs@1.0.0',
  environment: 'staging',
  transport: report.transport(Sentry.makeNodeTransport),
})

const config = {
  schedule: { type: 'crontab', value: '*/10 * * * *' },
  checkinMargin: 1,
  maxRuntime: 1,
  timezone: 'Europe/Berlin',
}

const scenarios = {
  /** Wraps a job that succeeds. */
  works: () => Sentry.withMonitor('nightly', async () => 'done', config),

  /** Wraps a job that throws: the error is an event, and the run has failed. */
  throws: () =>
    Sentry.withMonitor(
      'nightly',
      async () => {
        throw new Error('the disk is full')
      },
      config,
    ).catch(() => undefined),

  /** Sends both check-ins by hand, for a job that ends in another place than it began. */
  pair: () => {
    const checkInId = Sentry.captureCheckIn(
      { monitorSlug: 'nightly', status: 'in_progress' },
      config,
    )
    report.eventIds.push(checkInId)
    Sentry.captureCheckIn({ monitorSlug: 'nightly', status: 'ok', checkInId, duration: 12.5 })
  },

  /** Sends no closing check-in. */
  begins: () => {
    report.eventIds.push(
      Sentry.captureCheckIn({ monitorSlug: 'nightly', status: 'in_progress' }, config),
    )
  },

  every: () => {
    const schedule = { type: 'interval', value: 2, unit: 'hour' }
    Sentry.captureCheckIn({ monitorSlug: 'nightly', status: 'ok' }, { schedule })
  },
}

await scenarios[scenario]()
report.flushed = await Sentry.flush(10_000)
