/**
 * The alert rules of recently seen projects. Every change of rules changes a number of the project
 * in its transaction (`projects.alert_rules_version`), so a rule applies to all that is digested
 * after it was stored, and unchanged rules are not read again.
 */
import type { Pool } from '#platform/postgres.ts'
import { RecentMap } from '#platform/recent-map.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { KiB, MiB } from '#schemas/limits.ts'
import { readRuleVersions, readStoredRules, type StoredRule } from './alert-rule-store.ts'
import {
  type AlertRules,
  type FilterList,
  filterListText,
  filtersOf,
  type IssueRule,
  isIssueCondition,
} from './alert-rules.ts'

const projectsMax = 20_000
/** Bytes of the cached filters; all are forgotten when there are more. */
const bytesMax = 64 * MiB
/** Most projects have the filters of another one, such as those of the rule they began with. */
const sharedListsMax = 1_000
const sharedListBytesMax = 8 * KiB

interface Entry {
  readonly storedVersion: number
  readonly rules: AlertRules | undefined
}

/** Shared by all caches of the process, because the threads know rules by version. */
let lastVersion = 0
const encoder = new TextEncoder()

export class AlertRuleCache {
  readonly #pg: Pool
  #entries = new RecentMap<ProjectId, Entry>(projectsMax)
  #bytes = 0
  readonly #lists = new RecentMap<string, FilterList>(sharedListsMax)

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
        const entry = { storedVersion, rules: this.#rulesOf(projectId, stored.get(projectId)) }
        read.set(projectId, entry)
        this.#keep(projectId, entry)
      }
    }
    return [...versions.keys()].flatMap(
      (projectId) => (read.get(projectId) ?? this.#entries.get(projectId))?.rules ?? [],
    )
  }

  #keep(projectId: ProjectId, entry: Entry): void {
    const former = this.#entries.get(projectId)
    this.#bytes += bytesOf(entry) - (former === undefined ? 0 : bytesOf(former))
    if (this.#bytes > bytesMax) {
      this.#entries = new RecentMap(projectsMax)
      this.#bytes = bytesOf(entry)
    }
    const forgotten = this.#entries.set(projectId, entry)
    if (forgotten !== undefined) this.#bytes -= bytesOf(forgotten)
  }

  #rulesOf(projectId: ProjectId, stored: readonly StoredRule[] = []): AlertRules | undefined {
    const rules = stored.flatMap(issueRuleOf)
    if (rules.length === 0) return undefined
    const filters = filtersOf(rules)
    return { projectId, filters, list: this.#listOf(filterListText(filters)) }
  }

  #listOf(text: string): FilterList {
    const known = this.#lists.get(text)
    if (known !== undefined) return known
    const list = makeList(text)
    if (text.length <= sharedListBytesMax) this.#lists.set(text, list)
    return list
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

function makeList(text: string): FilterList {
  const bytes = encoder.encode(text)
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  lastVersion += 1
  return { version: lastVersion, text: shared }
}

function bytesOf({ rules }: Entry): number {
  return rules?.list.text.length ?? 0
}

function issueRuleOf({ id, conditions }: StoredRule): IssueRule[] {
  const when = conditions.when.filter(isIssueCondition)
  return when.length === 0 ? [] : [{ id, when, if: conditions.if }]
}
