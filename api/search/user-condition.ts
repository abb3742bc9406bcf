/**
 * `user:id:7` as conditions on the columns that the identity of a user is made of
 * (`userIdentity`): they are read faster than the identity is computed, and have indexes.
 */
import type { SearchPattern } from '#schemas/search/search-query.ts'
import { matches } from './text-match.ts'

/** In the order in which the first that an event has is its user. */
const parts = [
  { prefix: 'id:', column: 'user_id' },
  { prefix: 'email:', column: 'user_email' },
  { prefix: 'name:', column: 'user_name' },
  { prefix: 'ip:', column: 'user_ip' },
] as const

/** Undefined for a pattern that may match several kinds of identities, such as `*7`. */
export function userCondition(
  { pieces }: SearchPattern,
  bind: (value: string) => string,
): string | undefined {
  const [first = '', ...others] = pieces
  const isExact = others.length === 0
  // As `matches`, which ignores case beside a star.
  const start = isExact ? first : first.toLowerCase()
  const index = parts.findIndex(({ prefix }) => start.startsWith(prefix))
  const part = parts[index]
  // Each identity begins with one of the prefixes.
  if (part === undefined) return isExact ? '0' : undefined
  const value = { pieces: [first.slice(part.prefix.length), ...others] }
  const isEmpty = parts.slice(0, index).map(({ column }) => `${column} = ''`)
  const isUser = [`${part.column} != ''`, ...isEmpty, matches(part.column, value, bind)]
  return `(${isUser.join(' and ')})`
}
