/** `node secrets-sdk.mjs <dsn>`: a program that sends secrets to an SDK. */
import * as Sentry from '@sentry/node'
import { Report } from './report.mjs'

const [dsn] = process.argv.slice(2)
const report = new Report()
// Built at run time, because the SDK also sends source lines of this file.
const secret = (of) => ['secret', 'of', of].join('-')

Sentry.init({
  dsn,
  release: 'shop@1.4.0',
  transport: report.transport(Sentry.makeNodeTransport),
  beforeSend: (event) => {
    event.request = {
      url: `https://shop.example.test/pay?access_token=${secret('url')}&step=2`,
      method: 'POST',
      headers: {
        Authorization: `Bearer ${secret('header')}`,
        Cookie: `sid=${secret('cookie-header')}`,
      },
      cookies: { sid: secret('cookie') },
      data: JSON.stringify({
        card: '4111 1111 1111 1111',
        password: secret('body'),
        total: 12,
      }),
      env: { REMOTE_ADDR: '192.0.2.7' },
    }
    const [exception] = event.exception.values
    exception.stacktrace.frames.at(-1).vars = { apiKey: secret('vars'), amount: 12 }
    return event
  },
})
Sentry.addBreadcrumb({ message: 'connect', data: { dsn: `postgres://app:${secret('dsn')}@db/x` } })
Sentry.setTag('token', secret('tag'))
Sentry.setContext('gateway', { clientSecret: secret('context'), name: 'acme' })
Sentry.setUser({ id: '17', ip_address: '192.0.2.7' })
Sentry.setExtra('employee', 'asked by EMP-123456')
report.eventIds.push(refuse())
report.flushed = await Sentry.flush(10_000)

// Far from the lines above, because the SDK sends the source lines around the call.
function refuse() {
  const message = `refused: password=${secret('message')}`
  return Sentry.captureException(new Error(message))
}
