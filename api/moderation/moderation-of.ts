/**
 * Decides whether an idea or comment of a visitor is published at once. The reply does not tell.
 */
import type { PortalSettings } from '../portal/settings/portal-settings-store.ts'

export type Moderation = 'published' | 'pending'

const linkPattern = /https?:\/\/|\bwww\./gi

export interface Written {
  readonly what: 'idea' | 'comment'
  /** A moderator trusts the author. */
  readonly trusted: boolean
  readonly texts: readonly string[]
}

export function moderationOf(
  { what, trusted, texts }: Written,
  { moderation, linksMax }: Pick<PortalSettings, 'moderation' | 'linksMax'>,
): Moderation {
  if (trusted) return 'published'
  if (moderation === 'all' || (moderation === 'ideas' && what === 'idea')) return 'pending'
  // Spam usually has many links.
  return linksMax < countLinks(texts) ? 'pending' : 'published'
}

function countLinks(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + (text.match(linkPattern)?.length ?? 0), 0)
}
