/**
 * Converts a log record of error severity into an event of the Sentry protocol, which is then
 * normalised, grouped and displayed like any other. Attributes follow the semantic conventions of
 * OpenTelemetry. Those without a corresponding field become tags when they are short, and extra
 * data otherwise. Pure: equal records give equal events.
 */
import { isIP } from 'node:net'
import {
  fatalSeverityMin,
  type OtlpAttributes,
  type OtlpLogRecord,
  type OtlpScope,
  type OtlpValue,
} from '#schemas/wire/otlp-log.ts'
import { otlpSdkName } from '#schemas/wire/sdk-name.ts'
import { exceptionsOf, type LogException } from './exceptions-of-log.ts'
import { severityOfText } from './severity.ts'
import { TakenAttributes } from './taken-attributes.ts'

export interface OtlpLog {
  readonly record: OtlpLogRecord
  readonly resource: OtlpAttributes
  readonly scope: OtlpScope
}

/** Fields that are serialised to JSON. Absent fields are undefined. */
export interface LogEvent {
  readonly [field: string]: unknown
}

export function eventOfLog({ record, resource, scope }: OtlpLog): LogEvent {
  const own = new TakenAttributes(record.attributes)
  const shared = new TakenAttributes(resource)
  const platform = platformOf(shared.text('telemetry.sdk.language'))
  const message = textOfBody(record.body)
  const exceptions = exceptionsOf(own, { message, platform, eventName: record.eventName })
  const transaction = transactionOf(own, exceptions)
  const user = userOf(own)
  const entry = logEntry(own, message || titleOf(exceptions.at(-1)))
  // Computed last, because it takes the remaining attributes.
  const tags = own.tags()
  const service = shared.text('service.name')
  if (service !== '' && !/^unknown_service(?::|$)/.test(service)) tags['service'] ??= service
  return {
    timestamp: secondsOf(record.timeUnixNano || record.observedTimeUnixNano),
    platform,
    level: levelOf(record),
    logger: scope.name || undefined,
    transaction: transaction || undefined,
    server_name:
      shared.text('host.name') ||
      shared.text('service.instance.id') ||
      shared.text('k8s.pod.name') ||
      undefined,
    release: shared.text('service.version') || undefined,
    environment:
      shared.text('deployment.environment.name') ||
      shared.text('deployment.environment') ||
      undefined,
    logentry: entry,
    exception: exceptions.length === 0 ? undefined : { values: exceptions },
    user,
    tags,
    extra: own.rest(),
    contexts: contextsOf(record, shared, scope),
    sdk: sdkOf(resource, shared),
  }
}

/** The function of the log call is where an error was caught and not where it was raised. */
function transactionOf(own: TakenAttributes, exceptions: readonly LogException[]): string {
  const route = own.text('http.route')
  const hasStack = exceptions.some(({ stacktrace }) => stacktrace !== undefined)
  return route !== '' || hasStack ? route : own.text('code.function.name')
}

/** Defaults to error: only records of error severity come here. */
function levelOf({ severityNumber, severityText }: OtlpLogRecord): 'error' | 'fatal' {
  const severity = severityNumber > 0 ? severityNumber : severityOfText(severityText)
  return severity >= fatalSeverityMin ? 'fatal' : 'error'
}

/** Microseconds, the precision of a number of seconds. */
function secondsOf(nanos: bigint): number | undefined {
  return nanos === 0n ? undefined : Number(nanos / 1000n) / 1e6
}

function textOfBody(body: OtlpValue): string {
  if (body === null) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** Attributes in which two .NET logging libraries send the message template. */
const templateKeys = ['{OriginalFormat}', 'message_template.text']

function logEntry(attributes: TakenAttributes, formatted: string) {
  if (formatted === '') return undefined
  const [template] = templateKeys.map((key) => attributes.text(key)).filter((text) => text !== '')
  return template === undefined || template === formatted
    ? { formatted }
    : { message: template, formatted }
}

function titleOf(exception: { type?: string; value?: string } | undefined): string {
  return [exception?.type, exception?.value].filter(Boolean).join(': ')
}

function userOf(attributes: TakenAttributes) {
  const address = attributes.peek('client.address')
  const user = {
    id: attributes.text('user.id') || attributes.text('enduser.id') || undefined,
    email: attributes.text('user.email') || undefined,
    username: attributes.text('user.name') || undefined,
    // The value may legally be a host name or a socket path, which stays an attribute.
    ip_address:
      typeof address === 'string' && isIP(address) !== 0
        ? attributes.text('client.address')
        : undefined,
  }
  return Object.values(user).some((value) => value !== undefined) ? user : undefined
}

function contextsOf(record: OtlpLogRecord, resource: TakenAttributes, scope: OtlpScope) {
  const { traceId, spanId } = record
  const others = resource.all()
  return {
    trace:
      traceId === '' ? undefined : { trace_id: traceId, ...(spanId ? { span_id: spanId } : {}) },
    otel: {
      severity_number: record.severityNumber || undefined,
      severity_text: record.severityText || undefined,
      event_name: record.eventName || undefined,
      scope_version: scope.version || undefined,
      scope: scope.attributes.size === 0 ? undefined : Object.fromEntries(scope.attributes),
    },
    resource: others,
  }
}

function sdkOf(attributes: OtlpAttributes, resource: TakenAttributes) {
  const version = resource.text('telemetry.sdk.version')
  return {
    name: otlpSdkName(attributes),
    // The sender may be a collector instead of the user's device, so its address is not the user's.
    settings: { infer_ip: 'never' },
    ...(version === '' ? {} : { version }),
  }
}

const platforms: ReadonlyMap<string, string> = new Map([
  ['nodejs', 'node'],
  ['dotnet', 'csharp'],
  ['webjs', 'javascript'],
  ['cpp', 'native'],
  ['swift', 'cocoa'],
  ['erlang', 'elixir'],
])

function platformOf(language: string): string {
  return language === '' ? 'other' : (platforms.get(language) ?? language)
}
