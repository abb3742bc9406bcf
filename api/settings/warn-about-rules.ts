import { eventTags, isEventTag } from '#schemas/grouping/event-tags.ts'
import { tagsInRules } from '#schemas/grouping/tags-in-rules.ts'
import type { ProjectId } from '#schemas/ids.ts'
import type { GroupingWarning } from '#schemas/rest/settings/updated-settings.ts'
import { findUnknownTags, unknownTagRule } from '../search/find-unknown-tags.ts'
import type { NamesContext } from '../search/require-known-names.ts'
import { closestTags } from '../search/suggest-names.ts'
import { unlessAway } from '../unless-away.ts'

const warningsMax = 200

/** A tag may come later, so a rule about one that no event has is accepted, with a warning. */
export async function warnAboutRules(
  ctx: NamesContext,
  projectId: ProjectId,
  fingerprintRules: string,
): Promise<GroupingWarning[]> {
  const named = tagsInRules(fingerprintRules).filter(({ key }) => !isEventTag(key))
  if (named.length === 0) return []
  const keys = [...new Set(named.map(({ key }) => key))]
  // While ClickHouse is away, nobody knows the tags.
  const unknown = await unlessAway(
    findUnknownTags(ctx, projectId, keys, (typed, tags) =>
      closestTags(typed, [...tags, ...eventTags]),
    ),
  )
  return named
    .flatMap(({ line, key }): GroupingWarning[] => {
      const closest = unknown?.get(key)
      if (closest === undefined) return []
      const message = unknownTagRule(key, closest)
      return [{ field: 'grouping.fingerprint_rules', line, message }]
    })
    .slice(0, warningsMax)
}
