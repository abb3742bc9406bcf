/**
 * The fields of events: how each one is read from a row of ClickHouse. An empty text means that the
 * event has none. Other names of them stand in schemas/search/field-aliases.ts; every other name is
 * a tag.
 */
import { canonicalField } from '#schemas/search/field-aliases.ts'
import { releasePartNames } from '#schemas/search/release-term.ts'
import { userIdentity } from '../issues/sums/issue-sums.ts'

export type EventField =
  /** A text; `release` also compares versions. */
  | { readonly kind: 'text'; readonly sql: string }
  /** The identity of the user: `id:…`, `email:…`, `name:…` or `ip:…`. */
  | { readonly kind: 'user'; readonly sql: string }
  /** A part of the name of the release. */
  | { readonly kind: 'release' }
  /** Found by any part of it, regardless of case: in a text, or in one of several. */
  | { readonly kind: 'contents'; readonly sql: string; readonly list: string }
  /** Several texts, one of which must match: those of a list and, if it has one, of a column. */
  | { readonly kind: 'texts'; readonly sql?: string; readonly list: string }
  /** A column of the first row of each stack. */
  | { readonly kind: 'stack'; readonly column: string }
  | { readonly kind: 'stack_yes_no'; readonly column: string }
  /** Stored as `yes`, `no` or nothing; `yes` says which of them is true. */
  | { readonly kind: 'yes_no'; readonly sql: string; readonly yes: 'yes' | 'no' }
  /** A text that may also be compared as a whole number. */
  | { readonly kind: 'code'; readonly sql: string }
  | { readonly kind: 'time'; readonly sql: string }

const text = (sql: string): EventField => ({ kind: 'text', sql })
const stack = (column: string): EventField => ({ kind: 'stack', column })

/** `name/version` is split at its last slash. */
const slashAt = `position(reverse(sdk), '/')`

const fields: ReadonlyMap<string, EventField> = new Map<string, EventField>([
  ['level', text('level')],
  ['release', text('release')],
  ...releasePartNames.map((name) => [name, { kind: 'release' }] as const),
  ['dist', text('dist')],
  ['environment', text('environment')],
  ['platform', text('platform')],
  ['logger', text('logger')],
  ['component', text('component')],
  ['server_name', text('server_name')],
  ['sdk', text('sdk')],
  ['sdk.name', text(`if(${slashAt} = 0, sdk, substring(sdk, 1, length(sdk) - ${slashAt}))`)],
  ['sdk.version', text(`if(${slashAt} = 0, '', substring(sdk, length(sdk) - ${slashAt} + 2))`)],
  ['title', text('title')],
  ['message', { kind: 'contents', sql: 'title', list: 'error_values' }],
  ['culprit', text('culprit')],
  ['transaction', text('transaction')],
  ['error.type', { kind: 'texts', sql: 'exception_type', list: 'error_types' }],
  ['error.value', { kind: 'texts', list: 'error_values' }],
  ['error.handled', { kind: 'yes_no', sql: 'handled', yes: 'yes' }],
  ['error.unhandled', { kind: 'yes_no', sql: 'handled', yes: 'no' }],
  ['error.mechanism', text('mechanism')],
  ['error.main_thread', { kind: 'yes_no', sql: 'main_thread', yes: 'yes' }],
  ['stack.function', stack('stack_functions')],
  ['stack.filename', stack('stack_filenames')],
  ['stack.abs_path', stack('stack_abs_paths')],
  ['stack.module', stack('stack_modules')],
  ['stack.package', stack('stack_packages')],
  ['stack.in_app', { kind: 'stack_yes_no', column: 'stack_in_app' }],
  ['user', { kind: 'user', sql: userIdentity }],
  ['user.id', text('user_id')],
  ['user.email', text('user_email')],
  ['user.username', text('user_name')],
  ['user.ip', text('user_ip')],
  ['id', text(`replaceAll(toString(event_id), '-', '')`)],
  ['url', text('url')],
  ['http.method', text('http_method')],
  ['http.status_code', { kind: 'code', sql: 'http_status' }],
  ['trace', text('trace_id')],
  ['os', text('os')],
  ['os.name', text('os_name')],
  ['browser', text('browser')],
  ['browser.name', text('browser_name')],
  ['runtime', text('runtime')],
  ['runtime.name', text('runtime_name')],
  ['device', text(`if(device_model != '', device_model, device_family)`)],
  ['device.model', text('device_model')],
  ['device.family', text('device_family')],
  ['device.brand', text('device_brand')],
  ['device.arch', text('device_arch')],
  ['geo.country', text('geo_country')],
  ['geo.region', text('geo_region')],
  ['geo.city', text('geo_city')],
  ['timestamp', { kind: 'time', sql: 'occurred_at' }],
  ['received', { kind: 'time', sql: 'received_at' }],
])

/** Without other names of the same fields. */
export const eventFieldNames: readonly string[] = [...fields.keys()]

/** Undefined for a tag, and for a field that only issues have. */
export function eventFieldOf(name: string): EventField | undefined {
  return fields.get(canonicalField(name))
}

/** The expression of a field whose values can be counted; undefined for others and for tags. */
export function textOfField(name: string): string | undefined {
  const field = eventFieldOf(name)
  return field?.kind === 'text' || field?.kind === 'user' || field?.kind === 'code'
    ? field.sql
    : undefined
}
