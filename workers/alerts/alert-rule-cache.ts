/**
 * The alert rules of recently seen projects. Every change of rules changes a number of the project
 * in its transaction (`projects.alert_rules_version`), so a rule applies to all that is digested
 * after it was stored, and unchanged rules are not read again.
 */
import type { Pool } from '#platform/postgres.ts'
import { RecentMap } from '#platform/recent-map.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { readRuleVersions, readStoredRules, type StoredRule } from './alert-rule-store.ts'
import { type AlertRules, type IssueRule, isIssueCondition } from './alert-rules.ts'

const projectsMax = 20_000

interface Entry {
  readonly storedVersion: number
  readonly rules: AlertRules | undefined
}

/** Shared by all caches of the process, because the threads know rules by version. */
let lastVersion = 0
const encoder = new TextEncoder()

export class AlertRuleCache {
  readonly #pg: Pool
  readonly #entries = new RecentMap<ProjectId, Entry>(projectsMax)

  constructor(pg: Pool) {
    this.#pg = pg
  }

  /** The rules of those given projects that have any about issues. At most two queries. */
  async read(projectIds: readonly ProjectId[]): Promise<readonly AlertRules[]> {
    const versions = await readRuleVersions(this.#pg, projectIds)
    const stale = [...versions].filter(
      ([projectId, version]) => this.#entries.get(projectId)?.storedVersion !== version,
    )
    // The map may have forgotten the first ones when the last ones are read.
    const read = new Map<ProjectId, Entry>()
    if (stale.length > 0) {
      const stored = byProject(
        await readStoredRules(
          this.#pg,
          stale.map(([projectId]) => projectId),
        ),
      )
      for (const [projectId, storedVersion] of stale) {
        const entry = { storedVersion, rules: share(projectId, stored.get(projectId) ?? []) }
        read.set(projectId, entry)
        this.#entries.set(projectId, entry)
      }
    }
    return [...versions.keys()].flatMap(
      (projectId) => (read.get(projectId) ?? this.#entries.get(projectId))?.rules ?? [],
    )
  }
}

function byProject(rules: readonly StoredRule[]): Map<ProjectId, StoredRule[]> {
  const found = new Map<ProjectId, StoredRule[]>()
  for (const rule of rules) {
    const known = found.get(rule.projectId)
    if (known === undefined) found.set(rule.projectId, [rule])
    else known.push(rule)
  }
  return found
}

function share(projectId: ProjectId, stored: readonly StoredRule[]): AlertRules | undefined {
  const rules = stored.flatMap(issueRuleOf)
  if (rules.length === 0) return undefined
  const bytes = encoder.encode(JSON.stringify(rules))
  const text = new Uint8Array(new SharedArrayBuffer(bytes.length))
  text.set(bytes)
  lastVersion += 1
  return { projectId, version: lastVersion, text }
}

function issueRuleOf({ id, conditions }: StoredRule): IssueRule[] {
  const when = conditions.when.filter(isIssueCondition)
  return when.length === 0 ? [] : [{ id, when, if: conditions.if }]
}
