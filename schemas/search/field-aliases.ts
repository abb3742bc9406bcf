/**
 * Other names of fields, as established products write them. A name without a dot may be a tag of
 * somebody, so only those that no SDK sends as a tag stand here; for the others an error suggests
 * the field (api/search/suggest-names.ts).
 */
export const fieldAliases: ReadonlyMap<string, string> = new Map([
  ['assignee', 'assigned'],
  ['bookmarked_by', 'bookmarks'],
  ['firstRelease', 'first_release'],
  ['first-release', 'first_release'],
  ['lastRelease', 'last_release'],
  ['firstSeen', 'first_seen'],
  ['age', 'first_seen'],
  ['event.since', 'last_seen'],
  ['lastSeen', 'last_seen'],
  ['timesSeen', 'times_seen'],
  ['usersSeen', 'users_seen'],
  ['issue.priority', 'priority'],
  ['issue.id', 'issue'],
  ['event.severity', 'level'],
  ['event.id', 'id'],
  ['event.timestamp', 'timestamp'],
  ['app.release_stage', 'environment'],
  ['user.name', 'user.username'],
  ['user.ip_address', 'user.ip'],
  ['http.url', 'url'],
  ['request.url', 'url'],
  ['request.method', 'http.method'],
  ['http.status', 'http.status_code'],
  ['trace.id', 'trace'],
  ['handled', 'error.handled'],
  ['mechanism', 'error.mechanism'],
  ['error.class', 'error.type'],
  ['exception.type', 'error.type'],
  ['error.message', 'error.value'],
  ['exception.value', 'error.value'],
  ['stack.file', 'stack.filename'],
  ['stack.path', 'stack.abs_path'],
  ['device.manufacturer', 'device.brand'],
  ['geo.country_code', 'geo.country'],
  ['geo.subdivision', 'geo.region'],
])

/** The name under which the field is defined; a name that is no alias is returned as it is. */
export function canonicalField(name: string): string {
  return fieldAliases.get(name) ?? name
}
