import { CodedError } from '#schemas/error-codes.ts'
import { type Actor, addAudit } from '../audit/audit-store.ts'
import type { ApiContext } from '../context.ts'
import { found } from '../http/route.ts'
import { type DeliveryOwner, lockOwner, type StoredOwner } from './delivery-owner-store.ts'
import {
  addTestDelivery,
  closeBreaker,
  countTests,
  enqueueDeliveries,
  listTargets,
  type StoredDelivery,
} from './delivery-store.ts'

/** Deliveries of tests per rule or webhook and minute, so that no receiver gets too many. */
const testsPerMinuteMax = 20
const minuteMs = 60_000

/** Sends a test notification to every target, even if the rule would not fire. */
export async function sendTest(
  ctx: Pick<ApiContext, 'pg' | 'clock'>,
  actor: Actor,
  { owner }: { readonly owner: DeliveryOwner },
): Promise<StoredDelivery[]> {
  const { kind } = owner
  const nowMs = ctx.clock.nowMs()
  const now = new Date(nowMs)
  return ctx.pg.transaction(async (client) => {
    const stored = found(await lockOwner(client, owner))
    const { id: ownerId, organization_id: organizationId } = stored
    const targets = await listTargets(client, { kind, ownerId })
    const since = new Date(nowMs - minuteMs)
    const recent = await countTests(client, { kind, ownerId, since })
    if (testsPerMinuteMax < recent + targets.length) {
      throw new CodedError('rate_limited', {
        message: `At most ${testsPerMinuteMax} test notifications can be sent per minute.`,
        retryAfterSeconds: minuteMs / 1_000,
      })
    }
    const payload = testPayload(kind, stored, now)
    const deliveries: StoredDelivery[] = []
    for (const target of targets) {
      const test = { kind, ownerId, organizationId, target, payload, now }
      deliveries.push(await addTestDelivery(client, test))
    }
    const targetIds = targets.map(({ id }) => id)
    await closeBreaker(client, targetIds)
    await enqueueDeliveries(client, targetIds)
    await addAudit(client, actor, {
      action: kind === 'rule' ? 'alert.tested' : 'webhook.tested',
      subjectType: kind === 'rule' ? 'alert' : 'webhook',
      subjectId: ownerId,
    })
    return deliveries
  })
}

function testPayload(kind: DeliveryOwner['kind'], owner: StoredOwner, now: Date): object {
  const { id, name, project_id, project_name } = owner
  const reason = 'Somebody sent this to test the target.'
  const timestamp = now.toISOString()
  if (kind === 'webhook') {
    return { type: 'webhook.test', timestamp, data: { webhook: { id, label: name }, reason } }
  }
  const project = { id: project_id, name: project_name }
  return { type: 'alert.test', timestamp, data: { project, rule: { id, name }, reason } }
}
