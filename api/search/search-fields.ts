/**
 * What people read about the fields of searches. A test compares the names with those that
 * issue-search.ts and event-search.ts know, and parses and runs every example.
 */
import { levels, priorities } from '#schemas/rest/issue.ts'
import type { SearchFieldItem } from '#schemas/rest/search-field.ts'
import { isIssueField, issueFieldNames } from '#schemas/search/issue-fields.ts'
import { eventFieldNames, textOfField } from './event-search.ts'
import { stateNames } from './issue-search.ts'

interface FieldText {
  readonly type?: SearchFieldItem['type']
  readonly aliasOf?: string
  readonly values?: readonly string[]
  readonly description: string
  readonly example: string
}

// biome-ignore format: one field a line
const texts: Readonly<Record<string, FieldText>> = {
  is: { type: 'state', values: stateNames, description: 'The state of the issue.', example: 'is:unresolved' },
  has: { type: 'field', description: 'Whether the event has a field or a tag.', example: 'has:user' },
  assigned: { type: 'assignee', description: 'Who the issue is assigned to: an email address, #team or none.', example: 'assigned:none' },
  assignee: { type: 'assignee', aliasOf: 'assigned', description: 'Who the issue is assigned to.', example: 'assignee:none' },
  level: { values: levels, description: 'How severe it is.', example: 'level:[error, fatal]' },
  priority: { values: priorities, description: 'The priority of the issue.', example: 'priority:high' },
  title: { description: 'The title of the issue or event.', example: 'title:*timeout*' },
  message: { aliasOf: 'title', description: 'The title of the event.', example: 'message:*timeout*' },
  culprit: { description: 'Where it happened: a function, a module or a transaction.', example: 'culprit:*checkout*' },
  platform: { description: 'The language or platform of the SDK.', example: 'platform:python' },
  first_release: { description: 'The release in which the issue was first seen.', example: 'first_release:shop@1.4.0' },
  firstRelease: { aliasOf: 'first_release', description: 'The release in which the issue was first seen.', example: 'firstRelease:shop@1.4.0' },
  last_release: { description: 'The release in which the issue was last seen.', example: 'last_release:shop@*' },
  times_seen: { type: 'number', description: 'Events of the issue.', example: 'times_seen:>100' },
  timesSeen: { type: 'number', aliasOf: 'times_seen', description: 'Events of the issue.', example: 'timesSeen:>100' },
  first_seen: { type: 'time', description: 'When the issue was first seen.', example: 'first_seen:>=2026-11-20' },
  firstSeen: { type: 'time', aliasOf: 'first_seen', description: 'When the issue was first seen.', example: 'firstSeen:-7d' },
  age: { type: 'time', aliasOf: 'first_seen', description: 'How long ago the issue was first seen.', example: 'age:-24h' },
  last_seen: { type: 'time', description: 'When the issue was last seen.', example: 'last_seen:-24h' },
  lastSeen: { type: 'time', aliasOf: 'last_seen', description: 'When the issue was last seen.', example: 'lastSeen:+7d' },
  issue: { type: 'id', description: 'The short id of the issue.', example: 'issue:SHOP-12' },
  release: { description: 'The version of the program.', example: 'release:shop@1.*' },
  dist: { description: 'The build of the release.', example: 'dist:42' },
  environment: { description: 'Where the program ran, such as production.', example: '!environment:dev' },
  logger: { description: 'The logger that reported it.', example: 'logger:http.access' },
  component: { description: 'The label of the DSN key that brought it.', example: 'component:worker' },
  server_name: { description: 'The host that reported it.', example: 'server_name:web-*' },
  sdk: { description: 'The SDK that reported it.', example: 'sdk:sentry.python*' },
  transaction: { description: 'The route or task that ran.', example: 'transaction:/checkout' },
  'error.type': { description: 'The type of the exception.', example: 'error.type:TypeError' },
  user: { description: 'The user, by id, email, name or ip.', example: 'user:id:7' },
  'user.id': { description: 'The id of the user.', example: 'user.id:7' },
  'user.email': { description: 'The email address of the user.', example: 'user.email:*@example.com' },
  'user.username': { description: 'The name of the user.', example: 'user.username:ada' },
  'user.name': { aliasOf: 'user.username', description: 'The name of the user.', example: 'user.name:ada' },
  'user.ip': { description: 'The IP address of the user.', example: 'user.ip:192.0.2.*' },
  id: { type: 'id', description: 'The id of the event.', example: 'id:9ec79c33ec9942ab8353589fcb2e04dc' },
  url: { description: 'The URL of the request.', example: 'url:*checkout*' },
  'http.method': { description: 'The method of the request.', example: 'http.method:POST' },
  trace: { type: 'id', description: 'The id of the trace.', example: 'trace:0123456789abcdef0123456789abcdef' },
  'os.name': { description: 'The operating system.', example: 'os.name:Android' },
  'browser.name': { description: 'The browser.', example: 'browser.name:Firefox' },
  'device.model': { description: 'The model of the device.', example: 'device.model:"Pixel 9"' },
  'runtime.name': { description: 'The runtime, such as node.', example: 'runtime.name:node' },
  timestamp: { type: 'time', description: 'When the event happened, by the clock of the client.', example: 'timestamp:-24h' },
  received: { type: 'time', description: 'When the event was received.', example: 'received:>=2026-11-20T10:00:00Z' },
}

const ofEvents = new Set<string>(eventFieldNames)
const names = [...new Set<string>(['is', 'has', ...issueFieldNames, ...eventFieldNames])].sort()

/** In alphabetical order. Every other name is a tag. */
export const searchFields: readonly SearchFieldItem[] = names.map((name) => {
  const {
    type = 'text',
    aliasOf = null,
    values = null,
    description,
    example,
  } = texts[name] ?? {
    description: '',
    example: `${name}:x`,
  }
  const isOrdered = type === 'number' || type === 'time'
  return {
    name,
    alias_of: aliasOf,
    searches: isIssueField(name) && !ofEvents.has(name) ? ['issues'] : ['issues', 'events'],
    type,
    operators: isOrdered ? ['=', '>', '>=', '<', '<='] : ['='],
    lists: !isOrdered && type !== 'field',
    wildcards: type === 'text' || type === 'assignee',
    values: values === null ? null : [...values],
    suggests: values !== null || type === 'field' || textOfField(name) !== undefined,
    description,
    example,
  }
})

/** For the test: names that have a text. */
export const describedFields: readonly string[] = Object.keys(texts)
