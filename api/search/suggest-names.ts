/** The names of fields and tags that somebody may have meant by another one. */
import { fieldAliases } from '#schemas/search/field-aliases.ts'
import { issueFieldNames } from '#schemas/search/issue-fields.ts'
import { eventFieldNames } from './event-fields.ts'

/** Words of established products and of daily use. They may be tags, so they are no other names. */
export const fieldSynonyms: Readonly<Record<string, readonly string[]>> = {
  status: ['is', 'http.status_code'],
  state: ['is'],
  substatus: ['is'],
  owner: ['assigned'],
  assigned_to: ['assigned'],
  assigned_or_suggested: ['assigned'],
  bookmark: ['bookmarks'],
  severity: ['level', 'priority'],
  env: ['environment'],
  release_stage: ['environment', 'release.stage'],
  stage: ['environment', 'release.stage'],
  version: ['release.version', 'release'],
  app_version: ['release.version'],
  code_version: ['release'],
  build: ['release.build', 'dist'],
  count: ['times_seen', 'users_seen'],
  events: ['times_seen'],
  occurrences: ['times_seen'],
  users: ['users_seen'],
  user_count: ['users_seen'],
  first: ['first_seen'],
  last: ['last_seen'],
  date: ['timestamp', 'first_seen'],
  time: ['timestamp'],
  created: ['first_seen'],
  exception: ['error.type', 'error.value'],
  error: ['error.type', 'error.value', 'message'],
  class: ['error.type'],
  type: ['error.type'],
  reason: ['error.value'],
  msg: ['message'],
  text: ['message'],
  unhandled: ['error.unhandled'],
  crash: ['error.unhandled'],
  function: ['stack.function'],
  method: ['http.method', 'stack.function'],
  file: ['stack.filename'],
  filename: ['stack.filename'],
  path: ['stack.abs_path', 'url'],
  module: ['stack.module'],
  package: ['stack.package', 'release.package'],
  in_app: ['stack.in_app'],
  endpoint: ['transaction', 'url'],
  route: ['transaction'],
  context: ['transaction'],
  host: ['server_name'],
  hostname: ['server_name'],
  server: ['server_name'],
  status_code: ['http.status_code'],
  uri: ['url'],
  email: ['user.email'],
  username: ['user.username'],
  person: ['user'],
  customer: ['user'],
  ip: ['user.ip'],
  trace_id: ['trace'],
  event_id: ['id'],
  country: ['geo.country'],
  region: ['geo.region'],
  city: ['geo.city'],
  model: ['device.model'],
  brand: ['device.brand'],
  arch: ['device.arch'],
  language: ['platform'],
  'os.version': ['os'],
  'browser.version': ['browser'],
  'runtime.version': ['runtime'],
}

const shownMax = 5

/** The likeliest first; a tag with the name of a field is written `tags[name]`. */
export function closestNames(
  typed: string,
  tags: readonly string[],
  { isTag }: { readonly isTag: boolean },
): readonly string[] {
  const word = typed.toLowerCase().slice(0, comparedMax)
  const fields = ['has', ...issueFieldNames, ...eventFieldNames]
  const known = new Set(fields)
  const candidates = [
    ...(isTag ? [] : [...new Set([...fields, ...fieldAliases.keys()])]),
    ...tags.map((tag) => (isTag || known.has(tag) || !plainName.test(tag) ? `tags[${tag}]` : tag)),
  ]
  // An edit for each three characters.
  const limit = Math.max(1, Math.floor(word.length / 3))
  const near = [...new Set(candidates)]
    .map((name) => ({ name, distance: distanceOf(word, comparedName(name)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .map(({ name }) => name)
  const isSynonym = !isTag && Object.hasOwn(fieldSynonyms, word)
  const meant = isSynonym ? (fieldSynonyms[word] ?? []) : []
  return [...new Set([...meant, ...near])].slice(0, shownMax)
}

/** Tags alone, by their bare names. */
export function closestTags(typed: string, tags: readonly string[]): readonly string[] {
  return closestNames(typed, tags, { isTag: true }).map(bareName)
}

const plainName = /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u
/** Longer names are compared by their beginning. */
const comparedMax = 60

function comparedName(name: string): string {
  return bareName(name).slice(0, comparedMax).toLowerCase()
}

function bareName(name: string): string {
  return /^tags\[(.*)\]$/s.exec(name)?.[1] ?? name
}

/** Characters that were added, left out, changed or exchanged with the next one. */
export function distanceOf(a: string, b: string): number {
  // `_`, `-`, `.` and capital letters are easily mixed up.
  const left = a.replace(/[_.-]/g, '')
  const right = b.replace(/[_.-]/g, '')
  if (left === right) return 0
  let beforeLast: number[] = []
  let last = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1]
      let distance = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isExchange =
        row > 1 &&
        column > 1 &&
        left[row - 1] === right[column - 2] &&
        left[row - 2] === right[column - 1]
      if (isExchange) distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1)
      current[column] = distance
    }
    beforeLast = last
    last = current
  }
  return last[right.length] ?? 0
}
