/** All endpoints that SDKs, browsers and jobs send to. */
import { attachmentsFormat } from '../attachments/attachments-format.ts'
import { cronFormat } from '../cron/cron-format.ts'
import { envelopeFormat } from '../envelope/envelope-format.ts'
import type { BodyFormat } from '../intake/body-format.ts'
import { minidumpFormat } from '../minidump/minidump-format.ts'
import { unrealFormat } from '../minidump/unreal-format.ts'
import { otlpLogsFormat } from '../otlp/logs-format.ts'
import { otlpTracesFormat } from '../otlp/traces-format.ts'
import { securityFormat } from '../security/security-format.ts'
import { storeFormat } from '../store/store-format.ts'
import { type MatchedRoute, matchRoute, type RoutePattern } from './match-route.ts'

/** The parts of a request that a format may read. */
export interface EndpointRequest {
  /** Parameters of the path, as in `MatchedRoute`. */
  readonly parameters: readonly string[]
  /** The query without the question mark. */
  readonly query: string
  header(lowerCaseName: string): string
}

export interface Endpoint extends RoutePattern {
  readonly methods: readonly ('get' | 'post')[]
  readonly format: BodyFormat | ((request: EndpointRequest) => BodyFormat)
  /** The public key, for paths that may contain it. */
  keyOf?(parameters: readonly string[]): string | undefined
}

export const envelopeEndpoint: Endpoint = {
  paths: ['envelope'],
  methods: ['post'],
  format: envelopeFormat,
}

export const storeEndpoint: Endpoint = {
  paths: ['store'],
  methods: ['post'],
  format: (request) =>
    request.header('content-type').startsWith('application/x-sentry-envelope')
      ? envelopeFormat
      : storeFormat,
}

const cronEndpoint: Endpoint = {
  paths: ['cron/:slug', 'cron/:slug/:key'],
  methods: ['get', 'post'],
  format: ({ parameters, query }) => cronFormat(parameters[0] ?? '', query),
  keyOf: (parameters) => parameters[1],
}

const securityEndpoint: Endpoint = {
  paths: ['security', 'csp-report'],
  methods: ['post'],
  format: ({ header, query }) =>
    securityFormat({
      contentType: header('content-type'),
      userAgent: header('user-agent'),
      referrer: header('referer'),
      query,
    }),
}

const logsEndpoint: Endpoint = {
  paths: ['otlp/v1/logs', 'integration/otlp/v1/logs'],
  methods: ['post'],
  format: ({ header }) => otlpLogsFormat(header('content-type'), header('user-agent')),
}

const tracesEndpoint: Endpoint = {
  paths: ['otlp/v1/traces', 'integration/otlp/v1/traces'],
  methods: ['post'],
  format: ({ header }) => otlpTracesFormat(header('content-type'), header('user-agent')),
}

const minidumpEndpoint: Endpoint = {
  paths: ['minidump'],
  methods: ['post'],
  format: ({ header }) => minidumpFormat(header('content-type')),
}

const unrealEndpoint: Endpoint = {
  paths: ['unreal/:key'],
  methods: ['post'],
  format: unrealFormat,
  keyOf: (parameters) => parameters[0],
}

const attachmentsEndpoint: Endpoint = {
  paths: ['events/:event_id/attachments'],
  methods: ['post'],
  format: ({ parameters, header }) =>
    attachmentsFormat(parameters[0] ?? '', header('content-type')),
}

const endpoints: readonly Endpoint[] = [
  envelopeEndpoint,
  storeEndpoint,
  cronEndpoint,
  securityEndpoint,
  logsEndpoint,
  tracesEndpoint,
  minidumpEndpoint,
  unrealEndpoint,
  attachmentsEndpoint,
]

export function matchEndpoint(path: string): MatchedRoute<Endpoint> | undefined {
  return matchRoute(path, endpoints)
}
