/** Whether what a user writes on a portal is published at once or waits for a moderator. Both get the same reply. */
import type { PortalSettings } from '../portal/settings/portal-settings-store.ts'

export type Moderation = 'published' | 'pending'

const linkPattern = /https?:\/\/|\bwww\./gi

export interface Written {
  readonly what: 'idea' | 'comment'
  /** A moderator said that this user's writings pass. */
  readonly trusted: boolean
  readonly texts: readonly string[]
}

export function moderationOf(
  { what, trusted, texts }: Written,
  { moderation, linksMax }: Pick<PortalSettings, 'moderation' | 'linksMax'>,
): Moderation {
  if (trusted) return 'published'
  if (moderation === 'all' || (moderation === 'ideas' && what === 'idea')) return 'pending'
  // Advertising comes as links, and nobody else writes many of them.
  return linksMax < countLinks(texts) ? 'pending' : 'published'
}

function countLinks(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + (text.match(linkPattern)?.length ?? 0), 0)
}
