/**
 * A process is killed before each of its queries, and after the one that commits, when the answer
 * is lost. What was done is repeated, as the next owner or the job queue does: each cause has
 * one firing, and each notification one delivery for each target.
 */
import { beforeEach, expect, test } from 'vitest'
import type { Pool } from '#platform/postgres.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { usePostgres } from '../../test/fixtures/processes/use-postgres.ts'
import { addProject } from '../../test/fixtures/workers/add-project.ts'
import { addRule, countedMatch } from '../../test/fixtures/workers/alert-rules.ts'
import { sumOf } from '../../test/fixtures/workers/range-output.ts'
import { TestPartition } from '../../test/fixtures/workers/test-partition.ts'
import { FencedError } from '../partitions/ports.ts'
import { AlertRuleCache } from './alert-rule-cache.ts'
import { resumeNotifications } from './notification-store.ts'
import { notifyRule } from './notify-rule.ts'

const atMs = Date.UTC(2026, 10, 16, 10)
const targets = 2
const queriesMax = 60

let pg: Pool
let project: ProjectId

usePostgres((fixture) => {
  pg = fixture.pg
})
beforeEach(async () => {
  project = await addProject(pg)
})

class Killed extends Error {}

interface Kill {
  /** The number of the query, from 1. */
  readonly at: number
  readonly when: 'before' | 'after'
}

/** Returns whether it was killed, which it is not if it runs fewer queries. */
async function killing(kill: Kill, run: () => Promise<unknown>): Promise<boolean> {
  const client = await pg.connect()
  const prototype = Object.getPrototypeOf(client) as { query: (...args: unknown[]) => unknown }
  client.release()
  const { query } = prototype
  let queries = 0
  const runOne = async (client: unknown, args: unknown[]) => {
    queries += 1
    if (kill.at < queries || (kill.at === queries && kill.when === 'before')) {
      throw new Killed('killed')
    }
    const result = await query.apply(client, args)
    if (kill.at === queries) throw new Killed('killed after it took effect')
    return result
  }
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const last = args.at(-1)
    if (typeof last !== 'function') return runOne(this, args)
    // The pool's own queries have a callback.
    runOne(this, args.slice(0, -1)).then(
      (result) => last(undefined, result),
      (error: unknown) => last(error),
    )
    return undefined
  }
  try {
    await run()
  } catch (error) {
    if (!(error instanceof Error && /killed/.test(String(error.cause ?? error)))) throw error
  } finally {
    prototype.query = query
  }
  return kill.at <= queries
}

function sums() {
  return ['a', 'b'].map((name) =>
    sumOf(project, [name], {
      lastReceivedMs: atMs,
      eventCount: 5,
      matches: countedMatch(atMs, 5, { users: [1, 2], releases: ['app@1'] }),
    }),
  )
}

async function rulesAndTargets(): Promise<readonly string[]> {
  const count = {
    type: 'event_count',
    threshold: 1,
    window_seconds: 3_600,
    compared_to: 'absolute',
  }
  const newIssue = { type: 'new_issue' }
  return [
    await addRule(pg, project, { when: [newIssue, count], targets }),
    await addRule(pg, project, { when: [count], targets, cooldown_seconds: 600 }),
  ]
}

async function stored() {
  const { rows } = await pg.query(
    `select (select count(*) from alert_firings where project_id = $1)::int as firings,
       (select count(*) from alert_firings where project_id = $1 and notification_id is null)::int as waiting,
       (select coalesce(sum(count), 0) from alert_counts c join alert_rules r on r.id = rule_id where project_id = $1)::int as counted,
       (select count(*) from notification_deliveries d join alert_rules r on r.id = rule_id where project_id = $1)::int as deliveries,
       (select count(distinct (target_id, notification_id)) from notification_deliveries d join alert_rules r on r.id = rule_id
         where project_id = $1)::int as different`,
    [project],
  )
  return rows[0]
}

const points = Array.from({ length: queriesMax }, (_, index) => index + 1)

test.each(['before', 'after'] as const)(
  'a commit that is killed %s any of its queries fires once',
  async (when) => {
    let tried = 0
    for (const at of points) {
      project = await addProject(pg)
      const rules = await rulesAndTargets()
      const partition = await TestPartition.takeNew(pg)
      const alertRules = await new AlertRuleCache(pg).read([project])
      await partition.plan()
      const commit = () => partition.commit({ issues: sums() }, [], alertRules)
      const isKilled = await killing({ at, when }, commit)
      if (isKilled) {
        await commit().catch((error: unknown) => {
          // Its answer was lost: it is committed.
          if (!(error instanceof FencedError)) throw error
        })
      }
      expect(await stored(), `query ${at}`).toMatchObject({ firings: 4, waiting: 4, counted: 20 })
      const { rows } = await pg.query(
        'select key from graphile_worker._private_jobs where key = any($1)',
        [rules.map((id) => `notify:${id}`)],
      )
      expect(rows).toHaveLength(2)
      tried = at
      if (!isKilled) break
    }
    expect(tried).toBeGreaterThan(10)
    expect(tried).toBeLessThan(queriesMax)
  },
)

test.each(['before', 'after'] as const)(
  'a job that is killed %s any of its queries tells once',
  async (when) => {
    let tried = 0
    for (const at of points) {
      project = await addProject(pg)
      const rules = await rulesAndTargets()
      const partition = await TestPartition.takeNew(pg)
      const alertRules = await new AlertRuleCache(pg).read([project])
      await partition.commit({ issues: sums() }, [], alertRules)
      const ctx = {
        pg,
        clock: { nowMs: () => atMs },
        publicUrl: '',
        countUsers: async () => new Map(),
      }
      const isKilled = await killing({ at, when }, () => notifyRule(ctx, rules[0]!))
      await resumeNotifications(pg, new Date(atMs))
      for (const rule of rules) await notifyRule(ctx, rule)
      expect(await stored(), `query ${at}`).toMatchObject({
        firings: 4,
        waiting: 0,
        deliveries: 2 * targets,
        different: 2 * targets,
      })
      tried = at
      if (!isKilled) break
    }
    expect(tried).toBeGreaterThan(5)
    expect(tried).toBeLessThan(queriesMax)
  },
)
