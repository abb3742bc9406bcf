/**
 * What people read about the fields of searches. A test compares the names with those that
 * issue-search.ts and event-search.ts know, and parses and runs every example.
 */
import { levels, priorities } from '#schemas/rest/issue.ts'
import type { SearchFieldItem } from '#schemas/rest/search-field.ts'
import { fieldAliases } from '#schemas/search/field-aliases.ts'
import { issueFieldNames, issueFieldOf } from '#schemas/search/issue-fields.ts'
import { releaseStages } from '#schemas/search/release-term.ts'
import { eventFieldNames, textOfField } from './event-fields.ts'
import { stateNames } from './issue-search.ts'

interface FieldText {
  readonly type?: SearchFieldItem['type']
  readonly values?: readonly string[]
  readonly description: string
  readonly example: string
}

const yesNo = ['true', 'false'] as const

// biome-ignore format: one field a line
const texts: Readonly<Record<string, FieldText>> = {
  is: { type: 'state', values: stateNames, description: 'The state of the issue.', example: 'is:unresolved' },
  has: { type: 'field', description: 'Whether the event has a field or a tag.', example: 'has:user' },
  assigned: { type: 'assignee', description: 'Who the issue is assigned to: me, an email address, #team or none.', example: 'assigned:none' },
  bookmarks: { type: 'assignee', description: 'Who has a bookmark of the issue: me, or an email address.', example: 'bookmarks:ada@example.com' },
  level: { values: levels, description: 'How severe it is.', example: 'level:[error, fatal]' },
  priority: { values: priorities, description: 'The priority of the issue.', example: 'priority:high' },
  title: { description: 'The title of the issue or event.', example: 'title:*timeout*' },
  message: { type: 'contents', description: 'A part of the title, or of the message of an exception, case ignored.', example: 'message:timeout' },
  culprit: { description: 'Where it happened: a function, a module or a transaction.', example: 'culprit:*checkout*' },
  platform: { description: 'The language or platform of the SDK.', example: 'platform:python' },
  first_release: { type: 'release', description: 'The release in which the issue was first seen, or latest.', example: 'first_release:shop@1.4.0' },
  last_release: { type: 'release', description: 'The release in which the issue was last seen, or latest.', example: 'last_release:shop@1.4.0' },
  times_seen: { type: 'number', description: 'Events of the issue.', example: 'times_seen:>100' },
  users_seen: { type: 'number', description: 'Users of the issue, in stored events.', example: 'users_seen:>5' },
  first_seen: { type: 'time', description: 'When the issue was first seen.', example: 'first_seen:>=2026-11-20' },
  last_seen: { type: 'time', description: 'When the issue was last seen.', example: 'last_seen:-24h' },
  issue: { type: 'id', description: 'The short id of the issue.', example: 'issue:SHOP-12' },
  release: { type: 'release', description: 'The release of the program, or latest.', example: 'release:>=shop@1.4' },
  'release.version': { type: 'release', description: 'The version in the name of the release.', example: 'release.version:>=1.4' },
  'release.package': { description: 'The package in the name of the release.', example: 'release.package:shop' },
  'release.build': { type: 'code', description: 'The build in the name of the release.', example: 'release.build:42' },
  'release.stage': { type: 'state', values: releaseStages, description: 'How many sessions of the last 24 hours the release has: a tenth of all (adopted), fewer (low), or none any more (replaced).', example: 'release.stage:adopted' },
  dist: { description: 'The build of the release, as the SDK sends it.', example: 'dist:42' },
  environment: { description: 'Where the program ran, such as production.', example: '!environment:dev' },
  logger: { description: 'The logger that reported it.', example: 'logger:http.access' },
  component: { description: 'The label of the DSN key that brought it.', example: 'component:worker' },
  server_name: { description: 'The host that reported it.', example: 'server_name:web-*' },
  sdk: { description: 'The SDK that reported it, with its version.', example: 'sdk:sentry.python*' },
  'sdk.name': { description: 'The name of the SDK.', example: 'sdk.name:sentry.python' },
  'sdk.version': { description: 'The version of the SDK.', example: 'sdk.version:2.*' },
  transaction: { description: 'The route or task that ran.', example: 'transaction:/checkout' },
  'error.type': { description: 'The type of an exception of the event.', example: 'error.type:TypeError' },
  'error.value': { description: 'The message of an exception of the event; its first 250 characters.', example: 'error.value:*timeout*' },
  'error.handled': { type: 'yes_no', values: yesNo, description: 'Whether the program handled the exception.', example: 'error.handled:true' },
  'error.unhandled': { type: 'yes_no', values: yesNo, description: 'Whether the program did not handle the exception.', example: 'error.unhandled:true' },
  'error.mechanism': { description: 'How the SDK got the exception.', example: 'error.mechanism:onerror' },
  'error.main_thread': { type: 'yes_no', values: yesNo, description: 'Whether it happened on the main thread.', example: 'error.main_thread:true' },
  'stack.function': { description: 'The function of a frame.', example: 'stack.function:pay' },
  'stack.filename': { description: 'The file of a frame, as the SDK shortens it.', example: 'stack.filename:*cart.js' },
  'stack.abs_path': { description: 'The whole path of the file of a frame.', example: 'stack.abs_path:*/node_modules/*' },
  'stack.module': { description: 'The module of a frame.', example: 'stack.module:shop.cart' },
  'stack.package': { description: 'The package or image of a frame.', example: 'stack.package:libc*' },
  'stack.in_app': { type: 'yes_no', values: yesNo, description: 'Whether a frame is code of the program itself.', example: 'stack.in_app:true' },
  user: { description: 'The user, by id, email, name or ip.', example: 'user:id:7' },
  'user.id': { description: 'The id of the user.', example: 'user.id:7' },
  'user.email': { description: 'The email address of the user.', example: 'user.email:*@example.com' },
  'user.username': { description: 'The name of the user.', example: 'user.username:ada' },
  'user.ip': { description: 'The IP address of the user.', example: 'user.ip:192.0.2.*' },
  id: { type: 'id', description: 'The id of the event.', example: 'id:9ec79c33ec9942ab8353589fcb2e04dc' },
  url: { description: 'The URL of the request.', example: 'url:*checkout*' },
  'http.method': { description: 'The method of the request.', example: 'http.method:POST' },
  'http.status_code': { type: 'code', description: 'The status of the response.', example: 'http.status_code:>=500' },
  trace: { type: 'id', description: 'The id of the trace.', example: 'trace:0123456789abcdef0123456789abcdef' },
  os: { description: 'The operating system and its version.', example: 'os:"Windows 10"' },
  'os.name': { description: 'The operating system.', example: 'os.name:Android' },
  browser: { description: 'The browser and its version.', example: 'browser:"Chrome 1*"' },
  'browser.name': { description: 'The browser.', example: 'browser.name:Firefox' },
  runtime: { description: 'The runtime and its version.', example: 'runtime:"CPython 3.*"' },
  'runtime.name': { description: 'The runtime, such as node.', example: 'runtime.name:node' },
  device: { description: 'The model of the device, else its family.', example: 'device:"Pixel 9"' },
  'device.model': { description: 'The model of the device.', example: 'device.model:"Pixel 9"' },
  'device.family': { description: 'The family of the device.', example: 'device.family:iPhone' },
  'device.brand': { description: 'The brand of the device.', example: 'device.brand:Samsung' },
  'device.arch': { description: 'The architecture of the processor.', example: 'device.arch:arm64' },
  'geo.country': { description: 'The country of the user, as its code, such as DE.', example: 'geo.country:DE' },
  'geo.region': { description: 'The region of the user.', example: 'geo.region:Bavaria' },
  'geo.city': { description: 'The city of the user.', example: 'geo.city:Berlin' },
  timestamp: { type: 'time', description: 'When the event happened, by the clock of the client.', example: 'timestamp:-24h' },
  received: { type: 'time', description: 'When the event was received.', example: 'received:>=2026-11-20T10:00:00Z' },
}

const ofEvents = new Set<string>(eventFieldNames)
const names = [...new Set<string>(['is', 'has', ...issueFieldNames, ...eventFieldNames])]

const compared = ['=', '>', '>=', '<', '<='] as const
const isCompared: ReadonlySet<string> = new Set(['number', 'time', 'code', 'release'])
const isSingle: ReadonlySet<string> = new Set(['number', 'time', 'field', 'yes_no'])
const hasStars: ReadonlySet<string> = new Set(['text', 'contents', 'code', 'release', 'assignee'])

function fieldItem(name: string, aliasOf: string | null): SearchFieldItem {
  const of = aliasOf ?? name
  const { type = 'text', values = null, description, example } = texts[of] ?? noText(of)
  return {
    name,
    alias_of: aliasOf,
    searches:
      issueFieldOf(of) !== undefined && !ofEvents.has(of) ? ['issues'] : ['issues', 'events'],
    type,
    operators: isCompared.has(type) ? [...compared] : ['='],
    lists: !isSingle.has(type),
    wildcards: hasStars.has(type),
    values: values === null ? null : [...values],
    suggests: values !== null || type === 'field' || textOfField(of) !== undefined,
    description,
    example: example.replace(`${of}:`, `${name}:`),
  }
}

function noText(name: string): FieldText {
  return { description: '', example: `${name}:x` }
}

/** In alphabetical order, with their other names. Every other name is a tag. */
export const searchFields: readonly SearchFieldItem[] = [
  ...names.map((name) => fieldItem(name, null)),
  ...[...fieldAliases].map(([name, of]) => fieldItem(name, of)),
].sort((a, b) => (a.name < b.name ? -1 : 1))

/** For the test: names that have a text. */
export const describedFields: readonly string[] = Object.keys(texts)
