/**
 * `node sessions-sdk.mjs <package> <scenario> <dsn>`: the ways in which a program ends, and the
 * sessions that its Node SDK sends.
 */
import { Report } from './report.mjs'

const [packageName, scenario, dsn] = process.argv.slice(2)
const Sentry = await import(packageName)
const report = new Report()

Sentry.init({
  dsn,
  release: 'shop@2.0.0',
  environment: 'staging',
  integrations: [
    Sentry.httpIntegration({ trackIncomingRequestsAsSessions: true, sessionFlushingDelayMS: 50 }),
  ],
  transport: report.transport(Sentry.makeNodeTransport),
})

const scenarios = {
  exits: async () => undefined,

  meetsAnError: async () => {
    Sentry.captureException(new Error('handled'))
  },

  crashes: async () => {
    setTimeout(() => {
      throw new Error('nobody catches this')
    }, 1)
  },

  /** Five requests: one captures a handled error, and one fails with an unhandled error. */
  serves: async () => {
    // Ends the session of the process: the following sessions belong to requests only.
    Sentry.endSession()
    const { createServer } = await import('node:http')
    const server = createServer((request, response) => {
      if (request.url === '/handled') Sentry.captureException(new Error('one request went wrong'))
      if (request.url === '/unhandled') {
        // Captures the error as the error handlers of web frameworks do.
        const mechanism = { type: 'framework', handled: false }
        Sentry.captureException(new Error('one request went down'), { mechanism })
      }
      response.end()
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${server.address().port}`
    for (const path of ['/', '/', '/handled', '/unhandled', '/'])
      await (await fetch(url + path)).text()
    await new Promise((resolve) => setTimeout(resolve, 300))
    await Sentry.flush(10_000)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  },
}

await scenarios[scenario]()
report.flushed = await Sentry.flush(10_000)
