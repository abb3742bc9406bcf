/** Ownership rules as the API shows them, with warnings about lines that have no effect. */
import type { ProjectId } from '#schemas/ids.ts'
import {
  type OwnershipProblem,
  type OwnershipRule,
  ownerName,
  ownershipFields,
  parseOwnership,
} from '#schemas/ownership/parse-ownership.ts'
import type { OwnershipRules, OwnershipRuleView } from '#schemas/rest/ownership.ts'
import { findUnknownTags, unknownTagRule } from '../search/find-unknown-tags.ts'
import type { NamesContext } from '../search/require-known-names.ts'
import { closestTags } from '../search/suggest-names.ts'
import { unlessAway } from '../unless-away.ts'
import { findOwners } from './ownership-store.ts'

const warningsMax = 200

export async function describeOwnership(
  ctx: NamesContext,
  projectId: ProjectId,
  text: string,
): Promise<OwnershipRules> {
  const { rules, problems } = parseOwnership(text)
  const warnings = [
    ...problems,
    ...(await ownerWarnings(ctx, projectId, rules)),
    ...((await unlessAway(tagWarnings(ctx, projectId, rules))) ?? []),
  ]
  return {
    rules: text,
    parsed: rules.map(ruleView),
    warnings: warnings.sort((a, b) => a.line - b.line).slice(0, warningsMax),
  }
}

async function ownerWarnings(
  { pg }: NamesContext,
  projectId: ProjectId,
  rules: readonly OwnershipRule[],
): Promise<OwnershipProblem[]> {
  const named = rules.flatMap(({ line, owners }) =>
    owners.map((owner) => ({ line, name: ownerName(owner) })),
  )
  const known = await findOwners(pg, projectId, [...new Set(named.map(({ name }) => name))])
  return named
    .filter(({ name }) => !known.has(name))
    .map(({ line, name }) => ({ line, message: unknownOwner(name) }))
}

/** A tag may come later, so a rule about one that no event has is stored. */
async function tagWarnings(
  ctx: NamesContext,
  projectId: ProjectId,
  rules: readonly OwnershipRule[],
): Promise<OwnershipProblem[]> {
  const named = rules.flatMap(({ line, subject }) =>
    subject.kind === 'tag' && !isField(subject.key) ? [{ line, key: subject.key }] : [],
  )
  if (named.length === 0) return []
  const keys = [...new Set(named.map(({ key }) => key))]
  const unknown = await findUnknownTags(ctx, projectId, keys, (typed, tags) =>
    closestTags(typed, [...tags, ...ownershipFields]),
  )
  return named.flatMap(({ line, key }) => {
    const closest = unknown.get(key)
    return closest === undefined ? [] : [{ line, message: unknownTagRule(key, closest) }]
  })
}

function isField(key: string): boolean {
  return ownershipFields.some((field) => field === key)
}

export function ruleView({ line, subject, pattern, owners }: OwnershipRule): OwnershipRuleView {
  return {
    line,
    subject: subject.kind === 'tag' ? `tags.${subject.key}` : subject.kind,
    pattern,
    owners: owners.map(ownerName),
  }
}

function unknownOwner(name: string): string {
  return name.startsWith('#')
    ? `the organization has no team "${name.slice(1)}"`
    : `${name} is no member of the organization`
}
