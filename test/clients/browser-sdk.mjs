/**
 * `node browser-sdk.mjs <scenario> <dsn>`: the client and the fetch transport of the browser SDK,
 * running outside a browser.
 */
import {
  BrowserClient,
  defaultStackParser,
  linkedErrorsIntegration,
  makeFetchTransport,
  Scope,
} from '@sentry/browser'
import { Report } from './report.mjs'
import { scenarios } from './scenarios.mjs'

const [scenario, dsn] = process.argv.slice(2)
const report = new Report()
const client = new BrowserClient({
  dsn,
  release: 'web@2.0.0',
  environment: 'preview',
  integrations: [linkedErrorsIntegration()],
  stackParser: defaultStackParser,
  transport: report.transport(makeFetchTransport),
})
client.on('beforeSendEvent', (event) => report.eventIds.push(event.event_id))
const scope = new Scope()
scope.setClient(client)
client.init()

scenarios[scenario]({
  addBreadcrumb: (breadcrumb) => scope.addBreadcrumb(breadcrumb),
  captureException: (error, context = {}) => {
    const { fingerprint, ...rest } = context
    const own = scope.clone()
    own.update(rest)
    if (fingerprint) own.setFingerprint(fingerprint)
    return own.captureException(error)
  },
  captureMessage: (message, level) => scope.captureMessage(message, level),
})
report.flushed = await client.flush(10_000)
