/**
 * A transport is one URL: `smtp://user:password@host:587` begins plain and must be raised to TLS unless the server stands on this
 * machine, `smtps://` begins with TLS. Behind a question mark: `ignoreTLS=true` never asks for TLS (a relay within a private
 * network), `rejectUnauthorized=false` takes any certificate, `maxConnections` and `maxMessages` are what the relay allows.
 */
import { hostname } from 'node:os'

export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** at_once: `smtps:`. required and offered: STARTTLS. */
  readonly tls: 'at_once' | 'required' | 'offered' | 'never'
  readonly rejectUnauthorized: boolean
  readonly user: string | undefined
  readonly password: string
  readonly connectionsMax: number | undefined
  /** Letters over one connection; then it is closed and another one opened. */
  readonly emailsPerConnectionMax: number
  /** What we call ourselves. */
  readonly helloName: string
}

const emailsPerConnectionDefault = 100
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
    emailsPerConnectionMax: countOf(options, 'maxMessages') ?? emailsPerConnectionDefault,
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

/** A name without a dot is no domain, and many servers refuse it: then our address, as RFC 5321 §4.1.3 writes it. */
function helloName(name: string): string {
  return /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(name) ? name : '[127.0.0.1]'
}
