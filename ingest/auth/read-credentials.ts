/**
 * Reads the DSN key of a request whose path does not name it, in the order of the ingest-api
 * specification: query, `X-Sentry-Auth` (alias `Authorization`), then the `dsn` of the envelope
 * header. Once one source names a key, later sources are ignored, even if the key is invalid.
 */
import type { PublicKey } from '#schemas/ids.ts'
import { parseDsn } from '#schemas/wire/dsn.ts'

export type Credentials =
  | { readonly kind: 'key'; readonly publicKey: PublicKey; readonly client: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'other_project' }
  | { readonly kind: 'malformed'; readonly cause: string }

export interface HeaderCredentials {
  readonly sentryAuth: string
  readonly authorization: string
}

const none: Credentials = { kind: 'none' }
const clientCharactersMax = 128
const protocolVersionMax = 8
const credentialCharactersMax = 4096

export function credentialsOfQuery(query: string): Credentials {
  if (!query.includes('sentry_key=') || query.length > credentialCharactersMax) return none
  const parameters = new URLSearchParams(query)
  return checkKey(
    parameters.get('sentry_key'),
    parameters.get('sentry_version'),
    parameters.get('sentry_client'),
  )
}

/** The key as it appears in a path. */
export function credentialsOfKey(key: string): Credentials {
  return checkKey(key, null, null)
}

export function credentialsOfHeaders(headers: HeaderCredentials): Credentials {
  for (const value of [headers.sentryAuth, headers.authorization]) {
    const found = credentialsOfSentryScheme(value)
    if (found.kind !== 'none') return found
  }
  return credentialsOfBasicScheme(headers.authorization)
}

/** A DSN of another project than the one in the path is refused. */
export function credentialsOfDsn(text: string | undefined, projectText: string): Credentials {
  const dsn = text === undefined ? undefined : parseDsn(text)
  if (dsn === undefined) return none
  if (dsn.projectText !== projectText) return { kind: 'other_project' }
  return checkKey(dsn.publicKey, null, null)
}

function credentialsOfSentryScheme(value: string): Credentials {
  if (!/^sentry /i.test(value) || value.length > credentialCharactersMax) return none
  const fields = new Map<string, string>()
  for (const part of value.slice(7).split(',')) {
    const equals = part.indexOf('=')
    if (equals > 0) fields.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim())
  }
  return checkKey(
    fields.get('sentry_key') ?? null,
    fields.get('sentry_version') ?? null,
    fields.get('sentry_client') ?? null,
  )
}

/** `Basic base64(<key>:)`, which old clients and OTLP exporters send. */
function credentialsOfBasicScheme(value: string): Credentials {
  if (!/^basic /i.test(value) || value.length > credentialCharactersMax) return none
  const text = Buffer.from(value.slice(6), 'base64').toString('latin1')
  return checkKey(text.split(':')[0] ?? null, null, null)
}

function checkKey(key: string | null, version: string | null, client: string | null): Credentials {
  if (key === null || key === '') return none
  if (!/^[0-9a-f]{32}$/.test(key)) {
    return { kind: 'malformed', cause: 'sentry_key must be 32 lowercase hexadecimal digits' }
  }
  if (version !== null && version !== '') {
    const major = /^(\d{1,4})(\.|$)/.exec(version)
    if (major === null || protocolVersionMax < Number(major[1])) {
      return { kind: 'malformed', cause: `sentry_version must be at most ${protocolVersionMax}` }
    }
  }
  return {
    kind: 'key',
    publicKey: key as PublicKey,
    client: printable(client ?? '').slice(0, clientCharactersMax),
  }
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '')
}
