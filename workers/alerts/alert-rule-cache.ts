/**
 * The alert rules of recently seen projects. Every change of rules changes a number of the project
 * in its transaction (`projects.alert_rules_version`), so a rule applies to all that is digested
 * after it was stored. Unchanged rules are read again once a minute: a Postgres that was put back,
 * or a replica without the last commits, gives a number that it gave before to other rules.
 */
import { type Clock, systemClock } from '#platform/clock.ts'
import type { Pool } from '#platform/postgres.ts'
import { RecentMap } from '#platform/recent-map.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { readRuleVersions, readStoredRules, type StoredRule } from './alert-rule-store.ts'
import { type AlertRules, type IssueRule, isIssueCondition } from './alert-rules.ts'

const projectsMax = 20_000
const entryMsMax = 60_000

interface Entry {
  readonly storedVersion: number
  readonly readAtMs: number
  readonly rules: AlertRules | undefined
}

/** Shared by all caches of the process, because the threads know rules by version. */
let lastVersion = 0
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export class AlertRuleCache {
  readonly #pg: Pool
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #entries = new RecentMap<ProjectId, Entry>(projectsMax)

  constructor(pg: Pool, clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.#pg = pg
    this.#clock = clock
  }

  /** The rules of those given projects that have any about issues. At most two queries. */
  async read(projectIds: readonly ProjectId[]): Promise<readonly AlertRules[]> {
    const nowMs = this.#clock.monotonicMs()
    const versions = await readRuleVersions(this.#pg, projectIds)
    const stale = [...versions].filter(([projectId, version]) => {
      const known = this.#entries.get(projectId)
      return known?.storedVersion !== version || entryMsMax <= nowMs - known.readAtMs
    })
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
        const before = this.#entries.get(projectId)?.rules
        const rules = share(projectId, stored.get(projectId) ?? [], before)
        const entry = { storedVersion, readAtMs: nowMs, rules }
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

/** The same object as before if the rules are equal, because threads keep what they compiled. */
function share(
  projectId: ProjectId,
  stored: readonly StoredRule[],
  before: AlertRules | undefined,
): AlertRules | undefined {
  const rules = stored.flatMap(issueRuleOf)
  if (rules.length === 0) return undefined
  const json = JSON.stringify(rules)
  // A copy, because the decoder refuses shared memory.
  if (before !== undefined && decoder.decode(before.text.slice()) === json) return before
  const bytes = encoder.encode(json)
  const text = new Uint8Array(new SharedArrayBuffer(bytes.length))
  text.set(bytes)
  lastVersion += 1
  return { projectId, version: lastVersion, text }
}

function issueRuleOf({ id, conditions }: StoredRule): IssueRule[] {
  const when = conditions.when.filter(isIssueCondition)
  return when.length === 0 ? [] : [{ id, when, if: conditions.if }]
}
