/** `node sessions-sdk.mjs <package> <scenario> <dsn>`: how a program ends, as its Node SDK tells it in sessions. */
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

  /** Five requests, one of which goes wrong and is handled. */
  serves: async () => {
    const { createServer } = await import('node:http')
    const server = createServer((request, response) => {
      if (request.url === '/handled') Sentry.captureException(new Error('one request went wrong'))
      response.end()
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${server.address().port}`
    for (const path of ['/', '/', '/handled', '/', '/']) await (await fetch(url + path)).text()
    await new Promise((resolve) => setTimeout(resolve, 300))
    await Sentry.flush(10_000)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  },
}

await scenarios[scenario]()
report.flushed = await Sentry.flush(10_000)
