/**
 * Alert rules of a round's project, made by the action of the API. For each issue it is certain
 * whether they fire about it: their cooldown is longer than any round.
 */
import { randomUUID } from 'node:crypto'
import { systemClock } from '#platform/clock.ts'
import { targetSettings } from '#platform/http/safe-request/target-url.ts'
import type { Pool } from '#platform/postgres.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { AlertRuleInput } from '#schemas/rest/alerts/alert.ts'
import type { AlertCondition } from '#schemas/rest/alerts/condition.ts'
import { createAlert } from '../../../api/alerts/create-alert.ts'
import { createPostgres } from '../../../api/database.ts'
import type { AlertReceiver } from './alert-receiver.ts'

export const ruleKinds = ['new_issue', 'event_count', 'first_in_release'] as const
export type RuleKind = (typeof ruleKinds)[number]

export interface RoundRule {
  readonly id: string
  readonly kind: RuleKind
  /** The rule about a number of events fires above it. */
  readonly threshold: number
  readonly targets: readonly { readonly id: string; readonly path: string }[]
}

export interface RuleProject {
  readonly id: string
  readonly dsnId: ProjectId
  readonly organizationId: string
}

/** WEBHOOK_ALLOWED_NETWORKS of the workers: the receiver is on loopback. */
export const allowedNetworks = '127.0.0.1/32'

const day = 86_400
const targetsPerRule = 2

export async function makeRules(
  { pg, box, receiver }: { pg: Pool; box: SecretBox; receiver: AlertReceiver },
  project: RuleProject,
  threshold: number,
): Promise<RoundRule[]> {
  const { organizationId } = project
  const ctx = {
    pg: createPostgres(pg),
    box,
    clock: systemClock,
    // The rules ask for no tag.
    clickhouse: { select: async () => [] },
    targetSettings: targetSettings([allowedNetworks]),
  }
  const via = 'command_line' as const
  const actor = { organizationId, personId: null, name: 'test', via, ip: null }
  const stored = { id: project.id, dsnId: project.dsnId, shortName: '' }
  const rules: RoundRule[] = []
  for (const kind of ruleKinds) {
    const paths = Array.from({ length: targetsPerRule }, () => `/${randomUUID()}`)
    const input = AlertRuleInput.parse({
      name: kind,
      when: [conditionOf(kind, threshold)],
      if: { level: ['error'] },
      then: paths.map((path) => ({ type: 'webhook', url: `${receiver.url}${path}` })),
      cooldown_seconds: 30 * day,
      digest_seconds: 60,
    })
    const { rule, secrets } = await createAlert(ctx, actor, { project: stored, rule: input })
    // In the order of `then`.
    const targets = [...secrets].map(([id, secret], index) => {
      const path = paths[index] ?? ''
      receiver.addHook(path, secret)
      return { id, path }
    })
    rules.push({ id: rule.id, kind, threshold, targets })
  }
  return rules
}

function conditionOf(kind: RuleKind, threshold: number): AlertCondition {
  if (kind !== 'event_count') return { type: kind }
  return { type: kind, threshold, window_seconds: 7 * day, compared_to: 'absolute' }
}
