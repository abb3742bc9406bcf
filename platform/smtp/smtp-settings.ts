/**
 * Parses the URL of a transport. `smtp://user:password@host:587` begins in clear text and requires
 * STARTTLS unless the server is on this machine; `smtps://` begins with TLS. Query parameters:
 * `ignoreTLS=true` never uses TLS (a relay in a private network), `rejectUnauthorized=false`
 * accepts any certificate, `maxConnections` and `maxMessages` are limits of the relay.
 */
import { hostname } from 'node:os'

export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** at_once is `smtps:`; required and offered are STARTTLS. */
  readonly tls: 'at_once' | 'required' | 'offered' | 'never'
  readonly rejectUnauthorized: boolean
  readonly user: string | undefined
  readonly password: string
  readonly connectionsMax: number | undefined
  /**
   * Emails per connection. Then it is closed and another one is opened. Infinite unless the URL
   * says otherwise: servers that have a limit tell it by 421.
   */
  readonly emailsPerConnectionMax: number
  /** Name in EHLO. */
  readonly helloName: string
}

const countMax = 100_000

export function readSmtpUrl(text: string): SmtpSettings {
  const url = new URL(text)
  const { searchParams: options } = url
  const isSecure = url.protocol === 'smtps:'
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    host,
    port: Number(url.port || (isSecure ? 465 : 587)),
    tls: isSecure ? 'at_once' : tlsOf(host, options),
    rejectUnauthorized: options.get('rejectUnauthorized') !== 'false',
    user: url.username === '' ? undefined : decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    connectionsMax: countOf(options, 'maxConnections'),
    emailsPerConnectionMax: countOf(options, 'maxMessages') ?? Number.POSITIVE_INFINITY,
    helloName: helloName(hostname()),
  }
}

function tlsOf(host: string, options: URLSearchParams): SmtpSettings['tls'] {
  if (options.get('ignoreTLS') === 'true') return 'never'
  if (options.get('requireTLS') === 'true') return 'required'
  return isLoopback(host) ? 'offered' : 'required'
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function countOf(options: URLSearchParams, name: string): number | undefined {
  const text = options.get(name)
  if (text === null) return undefined
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > countMax) {
    throw new Error(`SMTP_URL: ${name} must be a whole number from 1 to ${countMax}`)
  }
  return count
}

/**
 * Many servers refuse a name without a dot, so an address literal is used instead (RFC 5321
 * §4.1.3).
 */
function helloName(name: string): string {
  return /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(name) ? name : '[127.0.0.1]'
}
