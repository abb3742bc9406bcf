/**
 * `node node-sdk.mjs <package> <scenario> <dsn>`: a program that uses a Node SDK as its
 * documentation describes.
 */
import { Report } from './report.mjs'
import { scenarios } from './scenarios.mjs'

const [packageName, scenario, dsn] = process.argv.slice(2)
const Sentry = await import(packageName)
const report = new Report()

Sentry.init({
  dsn,
  release: 'shop@1.4.0',
  environment: 'staging',
  enableLogs: true,
  transport: report.transport(Sentry.makeNodeTransport),
  beforeSend: (event) => (event.message === 'not to be sent' ? null : event),
})
Sentry.getClient().on('beforeSendEvent', (event) => report.eventIds.push(event.event_id))

await scenarios[scenario](Sentry)
report.flushed = await Sentry.flush(10_000)
