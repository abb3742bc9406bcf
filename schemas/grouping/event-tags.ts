/**
 * Facts of an event that grouping rules also read as tags, unless the event has a tag of that name.
 */
export const eventTags = [
  'environment',
  'release',
  'level',
  'logger',
  'transaction',
  'component',
  'server_name',
] as const
export type EventTag = (typeof eventTags)[number]

export function isEventTag(key: string): key is EventTag {
  return (eventTags as readonly string[]).includes(key)
}
