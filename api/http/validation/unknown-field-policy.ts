/**
 * Decides what happens to unknown fields. Routes of the specifications ignore them, because clients
 * may send more than this version knows. Administrative routes refuse them, because a misspelled
 * field would look like one that was left out.
 */
export type UnknownFieldPolicy = 'refuse' | 'ignore'

/** The first entry that is a prefix of the route's path decides. */
const policies: readonly (readonly [prefix: string, policy: UnknownFieldPolicy])[] = [
  ['/api/v1/admin', 'refuse'],
  ['/api/v1/organization', 'refuse'],
  ['/api/v1/operation', 'refuse'],
  ['/api/v1/projects/:project_id/feedback', 'ignore'],
  ['/api/v1/projects', 'refuse'],
  ['/api/v1/send', 'refuse'],
  ['/api/v1/campaigns', 'refuse'],
  ['/api/v1/login', 'refuse'],
  ['/api/v1/logout', 'refuse'],
  ['/api/v1/me', 'refuse'],
  ['/api/v1/forgotten-password', 'refuse'],
  ['/login', 'refuse'],
  ['/logout', 'refuse'],
  ['/me', 'refuse'],
  ['/forgotten-password', 'refuse'],
  ['/dev/mailbox', 'refuse'],
]

export function unknownFieldPolicy(routePath: string): UnknownFieldPolicy {
  const entry = policies.find(
    ([prefix]) => routePath === prefix || routePath.startsWith(`${prefix}/`),
  )
  return entry?.[1] ?? 'ignore'
}
