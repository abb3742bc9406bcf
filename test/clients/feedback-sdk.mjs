/**
 * `node feedback-sdk.mjs <package> <dsn>`: a program that captures an error and sends user feedback
 * about it.
 */
import { Report } from './report.mjs'

const [packageName, dsn] = process.argv.slice(2)
const Sentry = await import(packageName)
const report = new Report()
const isBrowser = packageName.endsWith('/browser')

Sentry.init({
  dsn,
  release: 'shop@1.4.0',
  environment: 'staging',
  transport: report.transport(isBrowser ? Sentry.makeFetchTransport : Sentry.makeNodeTransport),
  // The default integrations of the browser SDK need a page, and there is none here.
  ...(isBrowser ? { defaultIntegrations: false } : {}),
})

const eventId = Sentry.captureException(new Error('the cart is gone'))
report.eventIds.push(eventId)
const feedbackId = Sentry.captureFeedback({
  message: 'It forgot my cart. My password=hunter2 did not help.',
  name: 'Ada',
  email: 'ada@example.test',
  url: 'https://shop.example.test/cart?session=1',
  source: 'widget',
  associatedEventId: eventId,
})
report.eventIds.push(feedbackId)
report.flushed = await Sentry.flush(10_000)
