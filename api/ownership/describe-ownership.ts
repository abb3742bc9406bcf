/** Ownership rules as the API shows them, with warnings about lines that have no effect. */
import type { ProjectId } from '#schemas/ids.ts'
import {
  type OwnershipRule,
  ownerName,
  parseOwnership,
} from '#schemas/ownership/parse-ownership.ts'
import type { OwnershipRules, OwnershipRuleView } from '#schemas/rest/ownership.ts'
import type { Database } from '../database.ts'
import { findOwners } from './ownership-store.ts'

const warningsMax = 200

export async function describeOwnership(
  pg: Database,
  projectId: ProjectId,
  text: string,
): Promise<OwnershipRules> {
  const { rules, problems } = parseOwnership(text)
  const named = rules.flatMap(({ line, owners }) =>
    owners.map((owner) => ({ line, name: ownerName(owner) })),
  )
  const known = await findOwners(pg, projectId, [...new Set(named.map(({ name }) => name))])
  const unknown = named
    .filter(({ name }) => !known.has(name))
    .map(({ line, name }) => ({ line, message: unknownOwner(name) }))
  return {
    rules: text,
    parsed: rules.map(ruleView),
    warnings: [...problems, ...unknown].sort((a, b) => a.line - b.line).slice(0, warningsMax),
  }
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
