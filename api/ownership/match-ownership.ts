import { compileRule } from '#platform/ownership/compile-rule.ts'
import { MatchBudget } from '#platform/ownership/match-budget.ts'
import { namesOfPath } from '#platform/ownership/match-path.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { ownerName, parseOwnership } from '#schemas/ownership/parse-ownership.ts'
import type { OwnershipMatch, OwnershipTrial } from '#schemas/rest/ownership.ts'
import type { Database } from '../database.ts'
import { ruleView } from './describe-ownership.ts'
import { findOwners, readOwnership } from './ownership-store.ts'

/** Tells which rule would decide about an event, and who would get a new issue of it. */
export async function matchOwnership(
  pg: Database,
  projectId: ProjectId,
  { path, module, url, tags = {}, rules: tried }: OwnershipTrial,
): Promise<OwnershipMatch> {
  const { rules } = parseOwnership(tried ?? (await readOwnership(pg, projectId)))
  const tagValues = new Map(Object.entries(tags))
  const subjects = {
    paths: path === undefined ? [] : [namesOfPath(path)],
    modules: listOf(module),
    urls: listOf(url),
    tag: (key: string) => listOf(tagValues.get(key)),
  }
  const budget = new MatchBudget()
  const rule = rules.findLast((each) => compileRule(each)(subjects, budget))
  if (rule === undefined) return { rule: null, assignee: null }
  const names = rule.owners.map(ownerName)
  const known = await findOwners(pg, projectId, names)
  const owner = names.map((name) => known.get(name)).find((found) => found !== undefined)
  return {
    rule: ruleView(rule),
    assignee: owner === undefined ? null : { type: owner.kind, id: owner.id, name: owner.name },
  }
}

function listOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : [text]
}
